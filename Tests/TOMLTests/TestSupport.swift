import TOML

/// The error that parsing `text` throws; nil when it is valid.
func parseError(_ text: String, maximumDepth: Int = TOMLDocument.defaultMaximumDepth) -> TOMLError? {
  parseError(Array(text.utf8), maximumDepth: maximumDepth)
}

func parseError(_ text: [UInt8], maximumDepth: Int = TOMLDocument.defaultMaximumDepth) -> TOMLError? {
  do {
    _ = try TOMLDocument.parse(text, maximumDepth: maximumDepth)
    return nil
  } catch {
    return error
  }
}

func parse(_ text: String) throws -> TOMLTable {
  try TOMLDocument.parse(Array(text.utf8))
}

/// The value of `v = literal`.
func value(_ literal: String) throws -> TOMLValue.Content? {
  try parse("v = \(literal)")["v"]?.content
}

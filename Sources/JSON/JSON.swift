/// JSON texts (RFC 8259), strict: UTF-8 only, no byte order mark, nothing before or after the value but
/// white space.
public enum JSON {
  /// Nesting accepted by default. Low, because the input comes from outside and no document we read needs
  /// more than a few levels.
  public static let defaultMaximumDepth = 64
  /// Nesting accepted at most, whatever is asked for: the parser is recursive and threads have small stacks.
  public static let greatestMaximumDepth = 512

  /// The value that `text` spells.
  ///
  /// - Parameters:
  ///   - text: a whole JSON text.
  ///   - maximumDepth: how many arrays and objects may be open at a time; cut to `greatestMaximumDepth`.
  /// - Throws: `JSONError` with the place and what was expected there. Lone surrogates are refused: two
  ///   different texts must not become the same string.
  public static func parse(
    _ text: Span<UInt8>, maximumDepth: Int = defaultMaximumDepth
  ) throws(JSONError) -> JSONValue {
    var parser = JSONParser(maximumDepth: min(maximumDepth, greatestMaximumDepth))
    return try parser.parseText(text)
  }

  /// The value that `text` spells; see `parse(_:maximumDepth:)` for spans.
  public static func parse(
    _ text: [UInt8], maximumDepth: Int = defaultMaximumDepth
  ) throws(JSONError) -> JSONValue {
    try parse(text.span, maximumDepth: maximumDepth)
  }
}

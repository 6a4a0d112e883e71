import Bytes
import Relay

/// The parameters of a URL's query (`a=1&b=x%20y`).
struct QueryParameters {
  private var values: [String: String] = [:]

  /// nil when it is malformed or names a parameter twice.
  init?(_ query: String?) {
    for pair in (query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first.flatMap(Self.decode), values[name] == nil,
        let value = parts.count == 2 ? Self.decode(parts[1]) : ""
      else { return nil }
      values[name] = value
    }
  }

  subscript(name: String) -> String? { values[name] }

  /// As browsers write forms: a plus is a space.
  private static func decode(_ text: Substring) -> String? {
    PercentEncoding.decode(text.contains("+") ? text.replacing("+", with: " ") : text)
  }
}

import CLinux

/// The environment variables of this process.
public enum ProcessEnvironment {
  /// All variables; the first of two with one name counts, as for getenv(3).
  public static func all() -> [String: String] {
    var variables: [String: String] = [:]
    guard var entry = linux_environment() else { return variables }
    while let text = entry.pointee {
      let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if let name = pair.first, pair.count == 2, variables[String(name)] == nil {
        variables[String(name)] = String(pair[1])
      }
      entry += 1
    }
    return variables
  }
}

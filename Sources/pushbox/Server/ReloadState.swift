/// What there is to say about the configuration in effect and the latest try to replace it. Holds no secret.
struct ReloadState: Sendable {
  /// Nil when everything came from the environment.
  var file: String?
  /// When the configuration in effect was loaded, in milliseconds since the epoch.
  var loadedAt: Int64
  /// SHA-256 of the file in effect, in hex.
  var contentHash: String?
  /// Times that a configuration was put into effect, the start included.
  var generation = 1
  /// Reloads tried, whatever came of them.
  var attempts = 0
  /// Why the latest try changed nothing, one text a problem with its place; empty when it succeeded.
  var problems: [String] = []
  /// When that was, in milliseconds since the epoch.
  var failedAt: Int64?
}

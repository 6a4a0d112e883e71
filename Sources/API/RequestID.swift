import Bytes

/// The ID on each answer and in each log line, by which a report can be followed.
enum RequestID {
  /// Longest ID taken over from the caller, in bytes.
  static let maximumByteCount = 128

  /// The caller's own when it is fit for a header and a log, else a new one.
  static func choose(_ given: String?) -> String {
    if let given, isUsable(given) { return given }
    return make()
  }

  private static func isUsable(_ text: String) -> Bool {
    (1...maximumByteCount).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// 32 hex digits: unlikely to repeat, no secret.
  private static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    withUnsafeBytes(of: (generator.next(), generator.next())) { bytes.append(contentsOf: $0) }
    return Hex.encode(bytes)
  }
}

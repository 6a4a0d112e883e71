import Bytes
import Glibc

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

  /// Random bytes in store: a system call for each request would be a good part of what a push costs.
  private static let pool = Locked<[UInt8]>([])
  private static let byteCount = 16

  /// 32 hex digits: unlikely to repeat, no secret.
  private static func make() -> String {
    let bytes = pool.withLock { pool in
      // As many as the kernel gives at a time.
      if pool.count < byteCount {
        pool = [UInt8](repeating: 0, count: 256)
        // Fails only for more than 256 bytes (getentropy(3)).
        getentropy(&pool, pool.count)
      }
      defer { pool.removeLast(byteCount) }
      return Array(pool.suffix(byteCount))
    }
    return Hex.encode(bytes)
  }
}

/// Reads an input as a script, front to back.
struct FuzzInput {
  private let bytes: [UInt8]
  private var next = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { next == bytes.count }

  /// The next byte; 0 at the end.
  mutating func byte() -> UInt8 {
    guard next < bytes.count else { return 0 }
    defer { next += 1 }
    return bytes[next]
  }

  /// The next `count` bytes, or as many as there are.
  mutating func take(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, next + count)
    defer { next = end }
    return Array(bytes[next..<end])
  }
}

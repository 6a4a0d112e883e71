/// Bytes waiting to be sent. A single array that is written into an empty queue is adopted, not copied.
struct OutputQueue {
  private var pending: [UInt8] = []
  private var start = 0

  var count: Int { pending.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: [UInt8]) {
    if isEmpty {
      pending = bytes
      start = 0
    } else {
      if start > 65_536, start > pending.count / 2 {
        pending.removeSubrange(..<start)
        start = 0
      }
      pending.append(contentsOf: bytes)
    }
  }

  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(pending.span.extracting(start..<pending.count))
  }

  mutating func consume(_ count: Int) {
    start += count
    if start >= pending.count { removeAll() }
  }

  mutating func removeAll() {
    pending = []
    start = 0
  }
}

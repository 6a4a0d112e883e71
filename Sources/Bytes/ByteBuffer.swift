/// A queue of bytes: appended at the end, consumed from the front without moving what remains.
public struct ByteBuffer: Sendable {
  @usableFromInline var storage: [UInt8] = []
  @usableFromInline var start = 0

  public init() {}

  /// Bytes waiting.
  public var count: Int { storage.count - start }
  public var isEmpty: Bool { count == 0 }

  /// Lends the waiting bytes to `body`.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span.extracting(start..<storage.count))
  }

  /// The waiting bytes as a slice, for collection algorithms.
  public var slice: ArraySlice<UInt8> { storage[start...] }

  public mutating func append(_ bytes: Span<UInt8>) {
    compactIfWorthIt()
    bytes.withUnsafeBufferPointer { storage.append(contentsOf: $0) }
  }

  public mutating func append(_ bytes: [UInt8]) {
    compactIfWorthIt()
    storage.append(contentsOf: bytes)
  }

  /// Lets `body` append to the end in place.
  @inlinable
  public mutating func write<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure)
  {
    compactIfWorthIt()
    try body(&storage)
  }

  /// Drops `count` bytes from the front; at most all.
  public mutating func consume(_ count: Int) {
    start = min(start + count, storage.count)
    if start == storage.count {
      removeAll()
    }
  }

  /// Forgets everything; a large allocation is given back.
  public mutating func removeAll() {
    storage.removeAll(keepingCapacity: storage.capacity <= 65_536)
    start = 0
  }

  /// Moves the rest to the front once more than half of the storage is spent, so that the cost stays
  /// linear in the bytes that pass through.
  @usableFromInline
  mutating func compactIfWorthIt() {
    if start > 4096, start > storage.count / 2 {
      storage.removeSubrange(..<start)
      start = 0
    }
  }
}

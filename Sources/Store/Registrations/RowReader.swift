/// Reads fields off the front of stored bytes; nil when they end too early.
struct RowReader {
  private let source: [UInt8]
  private var position = 0

  init(_ bytes: Span<UInt8>) {
    source = [UInt8](copying: bytes)
  }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count <= source.count - position else { return nil }
    defer { position += count }
    return [UInt8](source[position..<position + count])
  }

  mutating func byte() -> UInt8? { integer() }
  mutating func uint16() -> UInt16? { integer() }
  mutating func uint32() -> UInt32? { integer() }
  mutating func uint64() -> UInt64? { integer() }

  mutating func uint48() -> UInt64? {
    guard let high = uint16(), let low = uint32() else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// All that is left.
  mutating func rest() -> [UInt8] {
    defer { position = source.count }
    return [UInt8](source[position...])
  }

  private mutating func integer<Value: FixedWidthInteger>() -> Value? {
    let size = Value.bitWidth / 8
    guard size <= source.count - position else { return nil }
    var value: Value = 0
    for offset in 0..<size {
      let low = UInt64(source[position + offset])
      value = Value(truncatingIfNeeded: UInt64(truncatingIfNeeded: value) << 8 | low)
    }
    position += size
    return value
  }
}

extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// The low 48 bits of `value`.
  mutating func append(bigEndian48 value: UInt64) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0.dropFirst(2)) }
  }
}

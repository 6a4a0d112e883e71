/// Takes fields off the front of stored bytes where they lie; nil when they end too early. Integers are big-endian.
extension Span<UInt8> {
  mutating func takeByte() -> UInt8? { takeInteger() }
  mutating func takeUInt16() -> UInt16? { takeInteger() }
  mutating func takeUInt32() -> UInt32? { takeInteger() }
  mutating func takeUInt64() -> UInt64? { takeInteger() }

  mutating func takeUInt48() -> UInt64? {
    guard let high = takeUInt16(), let low = takeUInt32() else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// A copy of the next `length` bytes.
  mutating func takeBytes(_ length: Int) -> [UInt8]? {
    guard length <= count else { return nil }
    defer { self = extracting(length...) }
    return [UInt8](copying: extracting(..<length))
  }

  /// The next `length` bytes as UTF-8.
  mutating func takeText(_ length: Int) -> String? {
    guard length <= count else { return nil }
    defer { self = extracting(length...) }
    return extracting(..<length).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  private mutating func takeInteger<Value: FixedWidthInteger & BitwiseCopyable>() -> Value? {
    let size = Value.bitWidth / 8
    guard size <= count else { return nil }
    let value = bytes.unsafeLoadUnaligned(as: Value.self)
    self = extracting(size...)
    return Value(bigEndian: value)
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

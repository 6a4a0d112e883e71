import Bytes

/// Appends a JSON text to bytes, compact, members in the order they are written. Commas are put where they
/// belong; that brackets are closed and keys are followed by values is the caller's part.
public struct JSONWriter: Sendable {
  /// What was written.
  public private(set) var bytes: [UInt8]
  private var needsComma = false

  /// A writer that appends to `bytes`, which may already hold something and have room reserved.
  public init(appendingTo bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// What was written, as text.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  public mutating func beginObject() { begin(UInt8(ascii: "{")) }
  public mutating func endObject() { end(UInt8(ascii: "}")) }
  public mutating func beginArray() { begin(UInt8(ascii: "[")) }
  public mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes a member's name; its value must follow.
  public mutating func key(_ key: String) {
    separate()
    Self.appendQuoted(key, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  public mutating func value(_ value: String) {
    separate()
    Self.appendQuoted(value, to: &bytes)
  }

  public mutating func value(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
  }

  public mutating func value(_ value: some UnsignedInteger & FixedWidthInteger) {
    separate()
    ASCIIDecimal.append(UInt64(truncatingIfNeeded: value), to: &bytes)
  }

  public mutating func value(_ value: some SignedInteger & FixedWidthInteger) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    ASCIIDecimal.append(UInt64(value.magnitude), to: &bytes)
  }

  /// Writes the shortest text that reads back as `value`; null for infinities and NaN, which JSON lacks.
  public mutating func value(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .string(let value): self.value(value)
    case .number(let number):
      separate()
      bytes.append(contentsOf: number.literal.utf8)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object.members {
        key(member.key)
        self.value(member.value)
      }
      endObject()
    }
  }

  public mutating func member(_ key: String, _ value: String) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: some UnsignedInteger & FixedWidthInteger) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: some SignedInteger & FixedWidthInteger) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: Double) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: JSONValue) {
    self.key(key)
    self.value(value)
  }

  /// Appends `string` as a JSON string: quotes, backslashes and control characters escaped, all else as it
  /// is (RFC 8259 section 7).
  public static func appendQuoted(_ string: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { text in
      let span = Span(_unsafeElements: text)
      var start = 0
      while true {
        let end = PlainText.end(in: span, from: start)
        out.append(contentsOf: text[start..<end])
        guard end < text.count else { return }
        appendEscape(text[end], to: &out)
        start = end + 1
      }
    }
    out.append(UInt8(ascii: "\""))
  }

  private static func appendEscape(_ byte: UInt8, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.append(byte)
    case 0x08: out.append(UInt8(ascii: "b"))
    case 0x09: out.append(UInt8(ascii: "t"))
    case 0x0A: out.append(UInt8(ascii: "n"))
    case 0x0C: out.append(UInt8(ascii: "f"))
    case 0x0D: out.append(UInt8(ascii: "r"))
    default:
      out.append(contentsOf: "u00".utf8)
      out.append(contentsOf: Hex.encode([byte]).utf8)
    }
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  /// Writes the comma before anything but the first, and notes that something stands now.
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}

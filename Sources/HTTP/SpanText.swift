import Glibc

/// What the parsers ask of bytes that are text.
extension Span where Element == UInt8 {
  func starts(with prefix: StaticString) -> Bool {
    guard count >= prefix.utf8CodeUnitCount else { return false }
    return prefix.withUTF8Buffer { prefix in
      for index in prefix.indices where self[index] != prefix[index] {
        return false
      }
      return true
    }
  }

  /// As `starts(with:)`, with ASCII letters compared without their case; `prefix` is in lower case.
  func startsIgnoringCase(with prefix: StaticString) -> Bool {
    guard count >= prefix.utf8CodeUnitCount else { return false }
    return prefix.withUTF8Buffer { prefix in
      for index in prefix.indices where self[index].asciiLowered != prefix[index] {
        return false
      }
      return true
    }
  }

  /// Whether all of it is `text`, which is in lower case; ASCII letters compare without their case.
  func equalsIgnoringCase(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && startsIgnoringCase(with: text)
  }

  /// The first LF from `start` on.
  func firstIndexOfLineFeed(from start: Int) -> Int? {
    guard start < count else { return nil }
    return withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress, let found = memchr(base + start, 0x0A, count - start) else {
        return nil
      }
      return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
  }

  /// Without spaces and tabs at both ends (`OWS` of RFC 9110, section 5.6.3).
  func trimmedRange() -> Range<Int> {
    var start = 0
    var end = count
    while start < end, self[start] == 0x20 || self[start] == 0x09 {
      start += 1
    }
    while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 {
      end -= 1
    }
    return start..<end
  }

  /// Calls `body` with each trimmed member of a comma-separated list.
  func forEachListMember(_ body: (Span<UInt8>) -> Void) {
    var start = 0
    while start <= count {
      var end = start
      while end < count, self[end] != 0x2C {
        end += 1
      }
      let member = extracting(start..<end)
      body(member.extracting(member.trimmedRange()))
      start = end + 1
    }
  }
}

extension UInt8 {
  /// The lower-case letter for an upper-case one; anything else as it is.
  @inline(__always)
  var asciiLowered: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

  /// The value of a hexadecimal digit.
  var hexadecimalValue: Int? {
    switch self {
    case 0x30...0x39: Int(self) - 0x30
    case 0x41...0x46: Int(self) - 0x37
    case 0x61...0x66: Int(self) - 0x57
    default: nil
    }
  }
}

extension String {
  /// The text of UTF-8 bytes; what is not UTF-8 becomes U+FFFD.
  init(bytes: Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  /// The text of ASCII bytes with its letters lowered.
  init(loweringASCII bytes: Span<UInt8>) {
    self = String(unsafeUninitializedCapacity: bytes.count) { buffer in
      for index in bytes.indices {
        buffer[index] = bytes[index].asciiLowered
      }
      return bytes.count
    }
  }
}

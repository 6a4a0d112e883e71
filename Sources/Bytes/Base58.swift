/// Base58 with Bitcoin's alphabet, as `did:key` identifiers use it (multibase prefix `z`).
public enum Base58 {
  static let digits = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
  static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
  /// Longest text decoded: the algorithm is quadratic, so input from outside must be bounded.
  public static let maximumLength = 128

  /// Encodes `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    // Base-58 digits, least significant first.
    var number: [UInt8] = []
    for byte in bytes {
      var carry = Int(byte)
      for index in number.indices {
        carry += Int(number[index]) << 8
        number[index] = UInt8(carry % 58)
        carry /= 58
      }
      while carry > 0 {
        number.append(UInt8(carry % 58))
        carry /= 58
      }
    }
    let zeros = bytes.prefix { $0 == 0 }.count
    let text = [UInt8](repeating: digits[0], count: zeros) + number.reversed().map { digits[Int($0)] }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that `text` encodes; nil for a digit outside the alphabet or over `maximumLength` digits.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count <= maximumLength else { return nil }
    // Base-256 digits, least significant first.
    var number: [UInt8] = []
    for digit in text {
      let value = values[Int(digit)]
      guard value != 0xFF else { return nil }
      var carry = Int(value)
      for index in number.indices {
        carry += Int(number[index]) * 58
        number[index] = UInt8(carry & 0xFF)
        carry >>= 8
      }
      while carry > 0 {
        number.append(UInt8(carry & 0xFF))
        carry >>= 8
      }
    }
    let zeros = text.prefix { $0 == digits[0] }.count
    return [UInt8](repeating: 0, count: zeros) + number.reversed()
  }
}

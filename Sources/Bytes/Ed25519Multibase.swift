/// Ed25519 keys as multibase text, what a `did:key` is without its scheme (W3C CCG "The did:key Method"): 48
/// characters, `z6Mk...`, of base58btc for 2 bytes of multicodec, ED 01, and the 32 of the key. Of a fixed size, and
/// so some twenty times as fast as `Base58`: client IDs are such texts, and each push has to do with two.
public enum Ed25519Multibase {
  public static let textLength = 48
  public static let keyLength = 32

  /// A number of 47 base-58 digits: the multicodec and the key.
  private typealias Number = InlineArray<5, UInt64>

  private static let digitCount = textLength - 1
  private static let multibase = UInt8(ascii: "z")
  private static let multicodec: UInt64 = 0xED01
  /// As many digits as fit into 64 bits, and what they count to.
  private static let chunk = 10
  private static let chunkBase: UInt64 = 430_804_206_899_405_824

  /// Appends the key that `text` stands for. False, with nothing appended, when it is not such a text.
  public static func appendKey(of text: Span<UInt8>, to bytes: inout [UInt8]) -> Bool {
    guard text.count == textLength, text[0] == multibase, let number = number(text, padding: 0),
      number[4] == multicodec
    else { return false }
    appendKey(of: number, to: &bytes)
    return true
  }

  /// Appends the text of a key; no two keys have the same. False, with nothing appended, when `key` has not 32 bytes.
  public static func appendText(of key: Span<UInt8>, to text: inout [UInt8]) -> Bool {
    guard key.count == keyLength else { return false }
    var number = Number(repeating: 0)
    number[4] = multicodec
    for offset in 0..<keyLength {
      let limb = 3 - offset / 8
      number[limb] = number[limb] << 8 | UInt64(key[offset])
    }
    let first = text.count + 1
    text.append(multibase)
    text.append(contentsOf: repeatElement(Base58.digits[0], count: digitCount))
    var end = text.count
    while end > first {
      var rest = divide(&number, by: chunkBase)
      let next = max(first, end - chunk)
      while end > next {
        end -= 1
        text[end] = Base58.digits[Int(rest % 58)]
        rest /= 58
      }
    }
    return true
  }

  /// The least and the greatest key whose text begins with `prefix`; nil when there is none. The digits are in ASCII
  /// order and all texts of one length: keys are in the order of their texts.
  public static func bounds(ofPrefix prefix: Span<UInt8>) -> (least: [UInt8], greatest: [UInt8])? {
    guard prefix.count <= textLength, prefix.isEmpty || prefix[0] == multibase,
      var least = number(prefix, padding: 0), var greatest = number(prefix, padding: 57),
      least[4] <= multicodec, greatest[4] >= multicodec
    else { return nil }
    if least[4] < multicodec { least = Number(repeating: 0) }
    if greatest[4] > multicodec { greatest = Number(repeating: .max) }
    var bounds: (least: [UInt8], greatest: [UInt8]) = ([], [])
    appendKey(of: least, to: &bounds.least)
    appendKey(of: greatest, to: &bounds.greatest)
    return bounds
  }

  /// The digits after the multibase prefix, missing ones taken as `padding`; nil when one of them is none.
  private static func number(_ text: Span<UInt8>, padding: UInt64) -> Number? {
    var number = Number(repeating: 0)
    var part: UInt64 = 0
    var base: UInt64 = 1
    for position in 1...digitCount {
      var value = padding
      if position < text.count {
        value = UInt64(Base58.values[Int(text[position])])
        guard value < 58 else { return nil }
      }
      part = part &* 58 &+ value
      base = base &* 58
      if base == chunkBase || position == digitCount {
        multiply(&number, by: base, adding: part)
        (part, base) = (0, 1)
      }
    }
    return number
  }

  /// 47 digits are less than 2 to the 276th: nothing is lost.
  private static func multiply(_ number: inout Number, by factor: UInt64, adding summand: UInt64) {
    var carry = summand
    for limb in number.indices {
      let product = number[limb].multipliedFullWidth(by: factor)
      let (low, overflow) = product.low.addingReportingOverflow(carry)
      number[limb] = low
      carry = product.high &+ (overflow ? 1 : 0)
    }
  }

  /// The remainder.
  private static func divide(_ number: inout Number, by divisor: UInt64) -> UInt64 {
    var remainder: UInt64 = 0
    for limb in number.indices.reversed() {
      (number[limb], remainder) = divisor.dividingFullWidth((remainder, number[limb]))
    }
    return remainder
  }

  private static func appendKey(of number: Number, to bytes: inout [UInt8]) {
    for limb in (0..<4).reversed() {
      withUnsafeBytes(of: number[limb].bigEndian) { bytes.append(contentsOf: $0) }
    }
  }
}

/// Ed25519 keys as multibase text, what a `did:key` is without its scheme (W3C CCG "The did:key Method"): 48
/// characters, `z6Mk...`, of base58btc for 2 bytes of multicodec, ED 01, and the 32 of the key. Of a fixed size, and
/// so ten times as fast as `Base58`: client IDs are such texts, and each push has to do with two.
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
    let digits = Base58.digits
    let first = text.count + 1
    text.append(multibase)
    text.append(contentsOf: repeatElement(digits[0], count: digitCount))
    var end = text.count
    while end > first {
      var rest = removeChunk(&number)
      let next = max(first, end - chunk)
      while end > next {
        end -= 1
        text[end] = digits[Int(rest % 58)]
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
    let values = Base58.values
    let valueOf = values.span
    var number = Number(repeating: 0)
    var position = 1
    // Whole chunks but for the first, so that each is added by the same multiplication.
    var end = 1 + digitCount % chunk
    while position <= digitCount {
      var part: UInt64 = 0
      while position < end {
        var value = padding
        if position < text.count {
          value = UInt64(valueOf[Int(text[position])])
          guard value < 58 else { return nil }
        }
        part = part &* 58 &+ value
        position += 1
      }
      append(part, to: &number)
      end += chunk
    }
    return number
  }

  /// Shifts `number` by a chunk of digits and adds the chunk. 47 digits are less than 2 to the 276th: nothing is lost.
  private static func append(_ part: UInt64, to number: inout Number) {
    var carry = part
    for limb in 0..<5 {
      let product = number[limb].multipliedFullWidth(by: chunkBase)
      let (low, overflow) = product.low.addingReportingOverflow(carry)
      number[limb] = low
      carry = product.high &+ (overflow ? 1 : 0)
    }
  }

  /// Takes the last chunk of digits off `number`.
  private static func removeChunk(_ number: inout Number) -> UInt64 {
    var remainder: UInt64 = 0
    for limb in (0..<5).reversed() {
      (number[limb], remainder) = chunkBase.dividingFullWidth((remainder, number[limb]))
    }
    return remainder
  }

  private static func appendKey(of number: Number, to bytes: inout [UInt8]) {
    for limb in (0..<4).reversed() {
      withUnsafeBytes(of: number[limb].bigEndian) { bytes.append(contentsOf: $0) }
    }
  }
}

/// Something that was done by way of the admin page, as it is kept: words for people, neither secrets nor device
/// tokens.
public struct ActionRecord: Equatable, Sendable {
  /// Milliseconds since the epoch.
  public var time: UInt64
  /// A short word for programs.
  public var action: String
  /// A client ID.
  public var target: String?
  public var isGood: Bool
  /// What went wrong.
  public var detail: String?
  /// The network address that it came from.
  public var address: String?
  /// Whether whoever did it had signed in. What strangers do is kept apart, so that they cannot push out what
  /// operators did.
  public var isSignedIn: Bool

  /// Texts longer than that are cut.
  public static let maximumTextBytes = 1000

  public init(
    time: UInt64, action: String, target: String? = nil, isGood: Bool = true, detail: String? = nil,
    address: String? = nil, isSignedIn: Bool = true
  ) {
    self.time = time
    self.action = action
    self.target = target
    self.isGood = isGood
    self.detail = detail
    self.address = address
    self.isSignedIn = isSignedIn
  }
}

/// As bytes: a version, whether it went well, then action, target, detail and address, each a length and UTF-8. Time
/// and `isSignedIn` stand in the key. No action is empty, so no text and an empty one may be the same.
extension ActionRecord {
  private static let layoutVersion: UInt8 = 1

  func encode() -> [UInt8] {
    var out = [Self.layoutVersion, isGood ? 1 : 0]
    for text in [action, target ?? "", detail ?? "", address ?? ""] {
      let bytes = Self.cut(text)
      out.append(bigEndian: UInt16(truncatingIfNeeded: bytes.count))
      out.append(contentsOf: bytes)
    }
    return out
  }

  /// nil when the bytes are none of a known layout.
  init?(time: UInt64, isSignedIn: Bool, _ bytes: Span<UInt8>) {
    var fields = bytes
    guard fields.takeByte() == Self.layoutVersion, let isGood = fields.takeByte() else { return nil }
    var texts: [String] = []
    for _ in 0..<4 {
      guard let length = fields.takeUInt16(), let text = fields.takeText(Int(length)) else { return nil }
      texts.append(text)
    }
    func text(_ index: Int) -> String? { texts[index].isEmpty ? nil : texts[index] }
    self.init(
      time: time, action: texts[0], target: text(1), isGood: isGood == 1, detail: text(2), address: text(3),
      isSignedIn: isSignedIn)
  }

  /// The UTF-8 of a text, whole characters of at most `maximumTextBytes`.
  private static func cut(_ text: String) -> [UInt8] {
    var text = text[...]
    while text.utf8.count > maximumTextBytes {
      text.removeLast(max(1, (text.utf8.count - maximumTextBytes) / 4))
    }
    return Array(text.utf8)
  }
}

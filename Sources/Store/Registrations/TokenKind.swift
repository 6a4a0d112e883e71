/// The gateway a device token belongs to. Raw values are stored: never change them.
public enum TokenKind: UInt8, CaseIterable, Sendable {
  case apns = 1
  case apnsSandbox = 2
  case fcm = 3

  /// The name used in the registration API's `type` field.
  public var name: String {
    switch self {
    case .apns: "apns"
    case .apnsSandbox: "apns-sandbox"
    case .fcm: "fcm"
    }
  }

  /// nil for an unknown name; lower case only.
  public init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}

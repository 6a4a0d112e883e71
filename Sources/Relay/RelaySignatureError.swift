/// Why a push is not taken for one of the relay's.
public enum RelaySignatureError: Error, Equatable, Sendable, CustomStringConvertible {
  case missingSignatureAndTimestamp
  case missingSignature
  case missingTimestamp
  /// The signature header is not hex.
  case signatureNotHex
  /// The signature header holds `byteCount` bytes instead of 64.
  case signatureLength(byteCount: Int)
  /// The timestamp header is longer than any time can be.
  case timestampTooLong(byteCount: Int)
  /// No configured key made the signature over this timestamp and body.
  case wrongSignature
  /// The signature is right but `age` seconds (negative: ahead of our clock) exceed `limit`.
  case outsideWindow(age: Int64, limit: Int64)

  /// Name of the error in an answer, as the Rust server has it.
  public static let name = "webhook_validation_failed"

  public var description: String {
    switch self {
    case .missingSignatureAndTimestamp:
      "the headers \(RelayHeader.signature) and \(RelayHeader.timestamp) are missing"
    case .missingSignature: "the header \(RelayHeader.signature) is missing"
    case .missingTimestamp: "the header \(RelayHeader.timestamp) is missing"
    case .signatureNotHex: "the signature is not hex: 128 hex digits are expected"
    case .signatureLength(let byteCount):
      "the signature is \(byteCount) bytes long: 64 bytes (128 hex digits) are expected"
    case .timestampTooLong(let byteCount):
      "the timestamp is \(byteCount) bytes long, more than any time takes"
    case .wrongSignature:
      "the signature does not match: the relay's public key here is not its key, or the timestamp or body "
        + "was changed on the way"
    case .outsideWindow(let age, let limit):
      "clock skew: the timestamp lies \(age.magnitude) s \(age < 0 ? "ahead of" : "behind") this server's "
        + "clock, at most \(limit) s are allowed; check the clock, or the request is a replay"
    }
  }

  /// The headers at fault.
  public var fields: [RequestField] {
    switch self {
    case .missingSignatureAndTimestamp:
      [signatureField("Missing signature"), timestampField("Missing timestamp")]
    case .missingSignature: [signatureField("Missing signature")]
    case .missingTimestamp: [timestampField("Missing timestamp")]
    case .signatureNotHex, .signatureLength: [signatureField(description)]
    case .timestampTooLong, .outsideWindow: [timestampField(description)]
    case .wrongSignature:
      [signatureField(description), timestampField("not what was signed, or the key differs")]
    }
  }

  private func signatureField(_ text: String) -> RequestField {
    RequestField(RelayHeader.signature, text, .header)
  }

  private func timestampField(_ text: String) -> RequestField {
    RequestField(RelayHeader.timestamp, text, .header)
  }
}

/// Why a client's token does not prove that it owns its client ID.
public enum ClientAuthenticationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not three base64url parts; says what.
  case malformed(String)
  /// The header is not JSON with `typ` "JWT" and `alg` "EdDSA".
  case header(String)
  /// A claim is missing or of the wrong type.
  case claim(name: String, problem: String)
  /// `iss` is no Ed25519 `did:key`.
  case issuer(String)
  /// The issuer's key did not make the signature.
  case wrongSignature
  /// The token ended `seconds` ago.
  case expired(seconds: Int64)
  /// `iat` lies `seconds` ahead of our clock.
  case notYetValid(seconds: Int64)
  /// The token was made for another server.
  case wrongAudience(String, accepted: [String])
  /// The token is valid, but another client's.
  case otherClient

  /// Name of the error in an answer, as the Rust server has it.
  public static let name = "authentication"

  public var description: String {
    switch self {
    case .malformed(let problem): problem
    case .header(let problem): "the token's header \(problem)"
    case .claim(let name, let problem): "the claim \(name) \(problem)"
    case .issuer(let problem): "the claim iss is not an Ed25519 did:key: \(problem)"
    case .wrongSignature: "the token's signature does not match the key in iss"
    case .expired(let seconds): "the token expired \(seconds) s ago; check the device's clock"
    case .notYetValid(let seconds):
      "the token was issued \(seconds) s in the future; check the device's clock"
    case .wrongAudience(let audience, let accepted):
      "the token's audience is \"\(audience.prefix(200))\"; this server accepts: "
        + accepted.joined(separator: ", ")
    case .otherClient: "the token's issuer is not the client ID of the request"
    }
  }

  /// The header at fault.
  public var fields: [RequestField] { [RequestField("authorization", description, .header)] }
}

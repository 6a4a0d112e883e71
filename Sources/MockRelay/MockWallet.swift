import Bytes
import Crypto
import JSON
import Relay

/// A wallet's side: an identity and the requests that the WalletConnect SDKs make of a push server.
public struct MockWallet: Sendable {
  /// A request, ready to send.
  public struct Request: Sendable {
    public var method: String
    public var target: String
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]
  }

  private let key: Ed25519PrivateKey
  /// The bare multibase form, `z6Mk...`.
  public let clientID: String

  /// A wallet with `key`, by default a new one.
  public init(key: Ed25519PrivateKey? = nil) throws(CryptoError) {
    if let key {
      self.key = key
    } else {
      self.key = try Ed25519PrivateKey.generate()
    }
    clientID = "z" + Base58.encode([0xED, 0x01] + self.key.publicKey.rawBytes)
  }

  /// The signed token of the iOS SDK: audience, issued now, valid for a day. `now` in seconds since the epoch.
  public func token(audience: String, now: UInt64) throws(CryptoError) -> String {
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("iss", "did:key:\(clientID)")
    claims.member("sub", Hex.encode(try Random.bytes(32)))
    claims.member("aud", audience)
    claims.member("iat", now)
    claims.member("exp", now + 86_400)
    claims.endObject()
    let input = JWT.signingInput(
      header: Array(#"{"alg":"EdDSA","typ":"JWT"}"#.utf8), claims: claims.bytes)
    return JWT.join(signingInput: input, signature: try key.sign(input))
  }

  /// As the iOS SDK registers: under the project ID, bare client ID, the token without `Bearer`.
  public func iosRegistration(
    projectID: String, deviceToken: String, sandbox: Bool = false, alwaysRaw: Bool = true, audience: String,
    now: UInt64
  ) throws(CryptoError) -> Request {
    Request(
      method: "POST", target: "/\(projectID)/clients",
      fields: [
        ("Content-Type", "application/json"), ("Accept", "application/json"),
        ("Authorization", try token(audience: audience, now: now)),
      ],
      body: Self.body(
        clientID: clientID, type: sandbox ? "apns-sandbox" : "apns", token: deviceToken, alwaysRaw: alwaysRaw)
    )
  }

  /// As the iOS SDK unregisters: the whole DID in the path.
  public func iosDeletion(
    projectID: String, audience: String, now: UInt64
  ) throws(CryptoError) -> Request {
    Request(
      method: "DELETE", target: "/\(projectID)/clients/did:key:\(clientID)",
      fields: [("Authorization", try token(audience: audience, now: now))], body: [])
  }

  /// As the Android SDK registers: the client ID again as a query, no token.
  public func androidRegistration(
    projectID: String, deviceToken: String, alwaysRaw: Bool = true
  ) -> Request {
    Request(
      method: "POST", target: "/\(projectID)/clients?auth=\(clientID)",
      fields: [("Content-Type", "application/json; charset=UTF-8")],
      body: Self.body(clientID: clientID, type: "fcm", token: deviceToken, alwaysRaw: alwaysRaw))
  }

  /// As the Android SDK unregisters.
  public func androidDeletion(projectID: String) -> Request {
    Request(method: "DELETE", target: "/\(projectID)/clients/\(clientID)", fields: [], body: [])
  }

  /// The body of a registration; a nil `alwaysRaw` leaves the member out, as some SDKs do.
  public static func body(clientID: String, type: String, token: String, alwaysRaw: Bool?) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("client_id", clientID)
    writer.member("type", type)
    writer.member("token", token)
    if let alwaysRaw { writer.member("always_raw", alwaysRaw) }
    writer.endObject()
    return writer.bytes
  }
}

extension BlockingHTTPClient {
  /// Sends a wallet's request.
  public func send(_ request: MockWallet.Request) throws(BlockingHTTPError) -> BlockingHTTPResponse {
    try send(request.method, request.target, fields: request.fields, body: request.body)
  }
}

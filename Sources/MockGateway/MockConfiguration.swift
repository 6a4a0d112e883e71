import Crypto
import Glibc

/// The files that make a pushbox serve against a mock gateway: configuration, keys and authority, as an
/// operator would have them.
public struct MockConfiguration: Sendable {
  /// What wallets name as their tokens' audience.
  public static let publicURL = "http://localhost"

  public let folder: String
  private let gateway: MockGateway
  private let relayPublicKey: String
  /// By which name the server finds the gateways.
  public var gatewayHost = MockGateway.host
  /// `127.0.0.1:0` for a free port.
  public var listen = "127.0.0.1:0"
  /// Lines for sections of their own, at the end.
  public var more = ""
  /// The store's folder; a relative one begins at the configuration's.
  public var storePath = "data"
  /// Lines in `[server]`, `[relay]`, `[store]` and `[push]`.
  public var server = ""
  public var store = ""
  public var relay = ""
  public var push = ""
  public var publicURL = Self.publicURL
  /// Makes APNs know the server by this instead of by a token; its topic is the certificate's.
  public var certificate: IssuedCertificate?
  /// Leaves `[fcm]` out.
  public var omitsFCM = false

  public init(folder: String, gateway: MockGateway, relayPublicKey: String) {
    self.folder = folder
    self.gateway = gateway
    self.relayPublicKey = relayPublicKey
  }

  /// The configuration's path.
  public var path: String { folder + "/config.toml" }

  /// The configuration's text.
  public var text: String {
    """
    [server]
    listen = "\(listen)"
    public_url = "\(publicURL)"
    \(server)

    [relay]
    public_key = "\(relayPublicKey)"
    \(relay)

    [store]
    path = "\(storePath)"
    \(store)

    [push]
    \(push)

    [apns]
    \(certificate == nil ? apnsToken : "certificate_file = \"push.pem\"")
    production_endpoint = "\(url(of: .apnsProduction))"
    sandbox_endpoint = "\(url(of: .apnsSandbox))"
    ca_file = "ca.pem"
    \(omitsFCM ? "" : fcm)
    \(more)
    """
  }

  private func url(of service: MockGateway.Service) -> String {
    "https://\(gatewayHost):\(gateway.port(of: service))"
  }

  private var apnsToken: String {
    """
    key_file = "apns.p8"
    key_id = "\(gateway.credentials.apnsKeyID)"
    team_id = "\(gateway.credentials.apnsTeamID)"
    topic = "\(gateway.credentials.apnsTopic)"
    """
  }

  private var fcm: String {
    """

    [fcm]
    service_account_file = "service-account.json"
    endpoint = "\(url(of: .fcm))"
    ca_file = "ca.pem"
    """
  }

  /// Writes all files.
  public func write() throws(MockGatewayError) {
    try write("apns.p8", gateway.apnsKeyPEM)
    try write("ca.pem", gateway.caCertificatePEM)
    try write("service-account.json", String(decoding: gateway.serviceAccountJSON, as: UTF8.self))
    if let certificate {
      try write("push.pem", certificate.certificatePEM + certificate.privateKeyPEM)
    }
    try write("config.toml", text)
  }

  private func write(_ name: String, _ text: String) throws(MockGatewayError) {
    let path = folder + "/" + name
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .file(path: path, reason: String(cString: strerror(errno))) }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw .file(path: path, reason: String(cString: strerror(errno)))
    }
  }
}

import Bytes
import Crypto
import EventLoop
import HTTP
import TLS

/// APNs (both environments), FCM and Google's token endpoint on the loopback interface: real HTTP/2 over
/// TLS, real verification of what the client signs, on a thread of its own. For the demo, tests and
/// benchmarks.
///
/// It answers as the real ones would; what it is to do otherwise is in `MockGateway+Script.swift`.
public final class MockGateway: Sendable {
  public static let host = "127.0.0.1"

  public let credentials: Credentials
  /// The authority that the servers' certificates are from, as PEM.
  public let caCertificatePEM: String
  /// The APNs key as an Apple developer gets it (`.p8`).
  public let apnsKeyPEM: String
  /// The service account file, whose `token_uri` is the mock's own.
  public let serviceAccountJSON: [UInt8]
  let log: DeliveryLog
  let reactions = ReactionBook()
  let switches: Locked<APNsSwitches>
  let certificates: ServerCertificates
  private let ports: [UInt16]
  private let thread: LoopThread
  private let servers: LoopBound<ServerSet>
  private let isStopped = Locked(false)

  /// Starts the servers; they answer when this returns.
  public static func start(_ configuration: Configuration = Configuration()) throws(MockGatewayError)
    -> MockGateway
  {
    try MockGateway(configuration)
  }

  private init(_ configuration: Configuration) throws(MockGatewayError) {
    let switches = Locked(APNsSwitches())
    self.switches = switches
    log = DeliveryLog(configuration.recording)
    do throws(CryptoError) {
      if let given = configuration.credentials {
        credentials = given
      } else {
        credentials = try Credentials.generate()
      }
      apnsKeyPEM = try credentials.apnsKey.pem()
    } catch {
      throw .credentials(error.description)
    }
    do throws(SystemError) {
      thread = try LoopThread(name: "mock-gateway")
    } catch {
      throw .network(error)
    }
    let set: ServerSet
    do throws(MockGatewayError) {
      certificates = try ServerCertificates()
      caCertificatePEM = certificates.authorityPEM
      set = try ServerSet(
        loop: thread.loop, configuration: configuration, credentials: credentials,
        certificates: certificates, log: log, reactions: reactions, switches: switches)
      serviceAccountJSON = try set.serviceAccountJSON(credentials)
    } catch {
      thread.stopAndJoin()
      throw error
    }
    ports = set.servers.map { $0.address.port }
    servers = LoopBound(set, loop: thread.loop)
    let failure = servers.call { set -> SystemError? in set.start() }
    if let failure = failure ?? nil {
      stop()
      throw .network(failure)
    }
  }

  deinit {
    stop()
  }

  /// The port of `service` on 127.0.0.1.
  public func port(of service: Service) -> UInt16 { ports[service.rawValue] }

  /// Host and port of `service`, for `:authority`.
  public func authority(of service: Service) -> String { "\(Self.host):\(port(of: service))" }

  /// `https://127.0.0.1:port`.
  public func url(of service: Service) -> String { "https://" + authority(of: service) }

  /// Closes everything and waits for the thread. Not from the mock's own loop. Does nothing when called
  /// again.
  public func stop() {
    let wasStopped = isStopped.withLock { stopped in
      defer { stopped = true }
      return stopped
    }
    guard !wasStopped else { return }
    log.close()
    _ = servers.call { $0.close() }
    thread.stopAndJoin()
  }

  /// Runs `work` on the loop and waits for it; nil after `stop`.
  func onLoop<Result: Sendable>(_ work: @escaping @Sendable (ServerSet) -> Result) -> Result? {
    isStopped.withLock { $0 } ? nil : servers.call(work)
  }

  var loop: EventLoop { thread.loop }
}

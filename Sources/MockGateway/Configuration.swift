import EventLoop

extension MockGateway {
  /// How a mock gateway starts.
  public struct Configuration: Sendable {
    /// Nil makes new ones, which takes a moment for the RSA key.
    public var credentials: Credentials?
    /// Ports on 127.0.0.1; a service that is not named gets a free one.
    public var ports: [Service: UInt16] = [:]
    public var recording = Recording.full(limit: 10_000)
    /// Lifetime of access tokens in seconds.
    public var accessTokenLifetime: UInt64 = 3600
    /// Whether APNs knows its clients by certificates from `issueClientCertificate`, instead of by tokens.
    public var requiresClientCertificate = false
    /// Seconds since the epoch, for everything that is verified.
    public var clock: @Sendable () -> UInt64 = { WallClock.seconds() }

    public init() {}
  }

  /// What is kept of accepted notifications.
  public enum Recording: Sendable, Equatable {
    /// The newest `limit`.
    case full(limit: Int)
    /// Their number, for benchmarks.
    case countOnly
  }
}

/// Why a mock gateway could not start.
public enum MockGatewayError: Error, Sendable, CustomStringConvertible {
  /// A port of 127.0.0.1 can't be listened on.
  case network(SystemError)
  /// Credentials or a certificate could not be made; the text is the library's.
  case credentials(String)
  /// An HTTP/2 or TLS set-up failed.
  case setUp(String)
  /// The gateway was stopped before.
  case stopped
  /// A file for a server could not be written.
  case file(path: String, reason: String)

  public var description: String {
    switch self {
    case .network(let error): "mock gateway: cannot listen on 127.0.0.1: \(error)"
    case .credentials(let reason): "mock gateway: cannot make its credentials: \(reason)"
    case .setUp(let reason): "mock gateway: set-up failed: \(reason)"
    case .file(let path, let reason): "mock gateway: cannot write \(path): \(reason)"
    case .stopped: "mock gateway: it was stopped; start a new one"
    }
  }
}

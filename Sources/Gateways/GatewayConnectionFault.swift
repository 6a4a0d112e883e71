import EventLoop

/// Why no connection to a gateway comes about.
public struct GatewayConnectionFault: Equatable, Sendable {
  public enum Cause: Equatable, Sendable {
    /// The name, the way or the port: the kernel's or the resolver's words.
    case network(String)
    case tls(TLSFailure)
  }

  /// Host and port, for messages.
  public var peer: String
  public var cause: Cause

  public init(peer: String, cause: Cause) {
    self.peer = peer
    self.cause = cause
  }

  public var reason: String {
    switch cause {
    case .network(let reason): "\(peer): \(reason)"
    case .tls(let failure): "\(peer): TLS: \(failure)"
    }
  }

  /// What an operator can do.
  public var advice: String {
    switch cause {
    case .network:
      "check name resolution and that this machine and its firewall let connections to \(peer) out"
    case .tls(.certificate(.expired)), .tls(.certificate(.notYetValid)):
      "check this machine's clock; if it is right, \(peer) or a proxy on the way has an invalid certificate"
    case .tls(.certificate(.unknownAuthority)):
      "install or update the system's authorities (Debian package ca-certificates), or set ca_file when a proxy "
        + "on the way has an authority of its own"
    case .tls(.certificate(.hostName)):
      "check the configured endpoint: the server at \(peer) has a certificate for another name"
    case .tls(.certificate(.revoked)), .tls(.certificate(.other)):
      "the server at \(peer) cannot be trusted: check the endpoint and what is on the way to it"
    case .tls(.alert), .tls(.truncated), .tls(.library):
      "something on the way may not let TLS pass: check the endpoint, the port and any proxy"
    }
  }
}

/// What to do when a gateway's alert speaks of our certificate.
enum CertificateAdvice {
  /// Nil when the alert does not.
  static func text(for alert: TLSAlert) -> String? {
    switch alert {
    case .certificateExpired: "our push certificate has expired: make a new one in Apple's developer portal"
    case .certificateRevoked: "our push certificate was revoked: make a new one in Apple's developer portal"
    case .unknownAuthority:
      "the gateway does not know who issued our certificate: use the one from Apple's developer portal"
    case .certificateRequired:
      "the gateway wants a client certificate: set apns.certificate_file, or check the endpoint"
    case .badCertificate, .unsupportedCertificate, .certificateUnknown, .accessDenied:
      "the gateway refuses our certificate: check that it is the app's push certificate for this environment"
    default: nil
    }
  }
}

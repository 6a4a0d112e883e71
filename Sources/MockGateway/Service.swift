extension MockGateway {
  /// One of the four servers, each with its port.
  public enum Service: Int, CaseIterable, Sendable {
    case apnsProduction
    case apnsSandbox
    case fcm
    case oauth

    /// Streams that a client may have open at once; what the real ones grant as a rule.
    var defaultMaxConcurrentStreams: Int {
      switch self {
      case .apnsProduction, .apnsSandbox: 1000
      case .fcm, .oauth: 100
      }
    }

    var isAPNs: Bool { self == .apnsProduction || self == .apnsSandbox }
  }
}

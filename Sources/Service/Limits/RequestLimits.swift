import Bytes

/// What one address may do in a minute; 0 lets everything pass.
public struct RequestLimitSettings: Sendable, Equatable {
  public var registrations: Int
  public var deletions: Int
  /// Pushes whose signature is missing or wrong. Those that verify are never limited.
  public var failedSignatures: Int
  public var logins: Int
  /// Addresses that are not limited, but for logins.
  public var exempt: [IPAddressBlock]

  public init(
    registrations: Int = 0, deletions: Int = 0, failedSignatures: Int = 0, logins: Int = 0,
    exempt: [IPAddressBlock] = []
  ) {
    self.registrations = registrations
    self.deletions = deletions
    self.failedSignatures = failedSignatures
    self.logins = logins
    self.exempt = exempt
  }
}

/// What is limited for each address, shared by all workers.
public final class RequestLimits: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case registration, deletion
    case failedSignature = "failed_signature"
    case login
  }

  private let registrations = RateLimiter()
  private let deletions = RateLimiter()
  private let failedSignatures = RateLimiter()
  private let logins = RateLimiter()

  public init(_ settings: RequestLimitSettings = RequestLimitSettings()) {
    apply(settings)
  }

  public func apply(_ settings: RequestLimitSettings) {
    registrations.configure(perMinute: settings.registrations, exempt: settings.exempt)
    deletions.configure(perMinute: settings.deletions, exempt: settings.exempt)
    failedSignatures.configure(perMinute: settings.failedSignatures, exempt: settings.exempt)
    // Whoever guesses passwords through a proxy that is not configured comes from an exempt address.
    logins.configure(perMinute: settings.logins)
  }

  public subscript(_ kind: Kind) -> RateLimiter {
    switch kind {
    case .registration: registrations
    case .deletion: deletions
    case .failedSignature: failedSignatures
    case .login: logins
    }
  }
}

extension SharedService {
  /// Counts one request of `address` against its limit. Nil when it may go on; otherwise the seconds to name
  /// in `Retry-After`. An address that is not known is not limited.
  public func limit(_ kind: RequestLimits.Kind, _ address: IPAddress?) -> Int? {
    guard let address, let seconds = limits[kind].take(address) else { return nil }
    metrics.limited.increment(kind)
    return seconds
  }
}

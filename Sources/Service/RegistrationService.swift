import Bytes
import EventLoop
import Relay
import Store
import Telemetry

/// When a client must prove that a client ID is its own.
public enum ClientAuthenticationPolicy: String, Sendable {
  /// A token is verified when there is one, as in the Rust server.
  case optional
  /// Like `optional`, but a client that has proved itself once must do so ever after.
  case sticky
  /// Always.
  case required
}

/// What a client asks for when it registers.
public struct RegistrationRequest: Sendable {
  public var client: ClientID
  public var kind: TokenKind
  public var token: String
  public var alwaysRaw: Bool
  /// The `Authorization` header.
  public var authorization: String?

  public init(client: ClientID, kind: TokenKind, token: String, alwaysRaw: Bool, authorization: String?) {
    self.client = client
    self.kind = kind
    self.token = token
    self.alwaysRaw = alwaysRaw
    self.authorization = authorization
  }
}

/// How a registration or deletion ended.
public enum RegistrationResult: Sendable, Equatable {
  /// It is on the disk.
  case done
  /// The client does not prove that the ID is its own.
  case unauthenticated(ClientAuthenticationError)
  /// A token is needed and there is none.
  case authenticationMissing
  /// No gateway for such tokens is configured.
  case providerNotAvailable(kind: String)
  /// The store refuses a value; words for the client.
  case invalid(String)
  /// The store is busy, full or shutting down; a later try may work.
  case storeBusy
  /// The store fails.
  case storeFailed
}

/// Who may register what.
public struct RegistrationSettings: Sendable {
  public var authentication: ClientAuthentication
  public var policy: ClientAuthenticationPolicy
  /// Kinds of device token that have a gateway.
  public var kinds: Set<TokenKind>

  public init(
    authentication: ClientAuthentication, policy: ClientAuthenticationPolicy, kinds: Set<TokenKind>
  ) {
    self.authentication = authentication
    self.policy = policy
    self.kinds = kinds
  }
}

/// Registers and deletes clients in one worker. Loop thread only.
public final class RegistrationService {
  private let loop: EventLoop
  private let shared: SharedService
  private let reader: StoreReader
  /// Takes effect with the next request.
  public var settings: RegistrationSettings

  public init(
    loop: EventLoop, shared: SharedService, reader: StoreReader, settings: RegistrationSettings
  ) {
    self.loop = loop
    self.shared = shared
    self.reader = reader
    self.settings = settings
  }

  /// Registers; `completion` is called on this loop once the registration is on the disk or refused.
  public func register(_ request: RegistrationRequest, _ completion: @escaping (RegistrationResult) -> Void) {
    guard let key = authenticate(request.client, request.authorization, completion) else { return }
    guard settings.kinds.contains(request.kind) else {
      return refuse(.providerNotAvailable(kind: request.kind.name), completion)
    }
    let registration = Registration(
      key: key, kind: request.kind, token: request.token, alwaysRaw: request.alwaysRaw,
      authenticated: request.authorization != nil)
    let waiting = LoopBound(completion, loop: loop)
    let shared = self.shared
    shared.store.register(registration) { result in
      switch result {
      case .success(let outcome):
        shared.metrics.registrations.increment(outcome.change.label)
        shared.log.debug(
          "registered", ["client": .clientID(key.clientID), "type": .string(registration.kind.name)])
        waiting.run { $0(.done) }
      case .failure(let error):
        let answer = Self.answer(to: error, shared)
        waiting.run { $0(answer) }
      }
    }
  }

  /// Deletes; a client that is not there counts as deleted.
  public func delete(
    _ client: ClientID, authorization: String?, _ completion: @escaping (RegistrationResult) -> Void
  ) {
    guard let key = authenticate(client, authorization, completion) else { return }
    let waiting = LoopBound(completion, loop: loop)
    let shared = self.shared
    shared.store.delete(key) { result in
      switch result {
      case .success:
        shared.metrics.registrations.increment(.deleted)
        shared.log.debug("deleted", ["client": .clientID(key.clientID)])
        waiting.run { $0(.done) }
      case .failure(let error):
        let answer = Self.answer(to: error, shared)
        waiting.run { $0(answer) }
      }
    }
  }

  /// Counts a request of `address` against the limit of its kind: nil, or seconds to wait.
  public func limit(_ kind: RequestLimits.Kind, _ address: IPAddress?) -> Int? { shared.limit(kind, address) }

  /// Counts a request that was refused before it got here.
  public func noteRefusal(_ reason: RegistrationRefusal) {
    shared.metrics.registrations.increment(.refused)
    shared.metrics.refusals.increment(reason)
  }

  /// The client's key when it may act for its ID; otherwise answers and gives nil.
  private func authenticate(
    _ client: ClientID, _ authorization: String?, _ completion: @escaping (RegistrationResult) -> Void
  ) -> ClientKey? {
    do throws(StoreError) {
      let key = try ClientKey(client: client.text)
      if let authorization {
        do throws(ClientAuthenticationError) {
          try settings.authentication.verify(
            authorization: authorization, client: client, now: Int64(clamping: WallClock.seconds()))
        } catch {
          refuse(.unauthenticated(error), completion)
          return nil
        }
        return key
      }
      let isNeeded =
        switch settings.policy {
        case .optional: false
        case .required: true
        case .sticky: try reader.lookup(key)?.summary.authenticated ?? false
        }
      guard isNeeded else { return key }
      refuse(.authenticationMissing, completion)
    } catch {
      completion(Self.answer(to: error, shared))
    }
    return nil
  }

  private func refuse(_ result: RegistrationResult, _ completion: (RegistrationResult) -> Void) {
    if case .providerNotAvailable = result { noteRefusal(.noGateway) } else { noteRefusal(.unauthenticated) }
    completion(result)
  }

  private static func answer(to error: StoreError, _ shared: SharedService) -> RegistrationResult {
    if case .invalidValue(let text) = error {
      shared.metrics.registrations.increment(.refused)
      shared.metrics.refusals.increment(.token)
      return .invalid(text)
    }
    shared.metrics.registrations.increment(.failed)
    shared.log.error("the store did not take a registration", ["error": "\(error)"])
    return error.isTransient ? .storeBusy : .storeFailed
  }
}

extension RegistrationOutcome.Change {
  fileprivate var label: ServiceMetrics.RegistrationLabel {
    switch self {
    case .created: .created
    case .updated: .updated
    case .revived: .revived
    }
  }
}

import Crypto
import EventLoop
import HTTP

/// One worker's way to the token endpoint. Loop thread only.
final class FCMTokenFetcher {
  /// Bounds a fetch. It is apart from any push's deadline, since other pushes wait for it too.
  static let timeout = Duration.seconds(10)

  private let loop: EventLoop
  private let channel: GatewayChannel
  private let clock: @Sendable () -> UInt64

  /// - Parameter clock: gives seconds since the epoch.
  init(
    loop: EventLoop, endpoint: GatewayEndpoint, http: HTTP2Client, clock: @escaping @Sendable () -> UInt64
  ) {
    self.loop = loop
    channel = GatewayChannel(loop: loop, peer: "token endpoint \(endpoint)", http: http)
    self.clock = clock
  }

  /// Fetches a token. `completion` is called once on the loop, not within this call.
  func fetch(for account: ServiceAccount, _ completion: @escaping (FCMTokenExchange.Result) -> Void) {
    let request: HTTPRequest
    do throws(CryptoError) {
      request = try FCMTokenExchange.request(for: account, now: clock())
    } catch {
      loop.schedule(at: loop.now) { completion(.failed(Self.unsigned(error))) }
      return
    }
    channel.send(request, deadline: .now() + Self.timeout) { [clock] answer in
      switch answer {
      case .response(let response):
        completion(
          FCMTokenExchange.result(
            status: response.status, retryAfter: response.fields.first("retry-after"), body: response.body,
            now: clock()))
      case .failure(.timedOut):
        // Not the push's own deadline, so not its outcome.
        completion(
          .failed(.unavailable(reason: "token endpoint: no answer within \(Self.timeout)", retryAfter: nil)))
      case .failure(let outcome): completion(.failed(outcome))
      }
    }
  }

  /// Finishes the fetch under way, closes the connection, then calls `completion`.
  func shutdown(_ completion: @escaping () -> Void) {
    channel.shutdown(completion)
  }

  private static func unsigned(_ error: CryptoError) -> GatewayOutcome {
    .rejected(
      reason: "no access token: \(error)",
      advice: "the service account's key can't sign: download a new key file from the Firebase console")
  }
}

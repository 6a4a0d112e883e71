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
  /// Seconds by which our clock is behind the endpoint's, once that made it refuse us.
  private var clockOffset: Int64 = 0

  /// - Parameter clock: gives seconds since the epoch.
  init(
    loop: EventLoop, endpoint: GatewayEndpoint, http: HTTP2Client, clock: @escaping @Sendable () -> UInt64
  ) {
    self.loop = loop
    channel = GatewayChannel(loop: loop, peer: "token endpoint \(endpoint)", http: http)
    self.clock = clock
  }

  /// Fetches a token. `completion` is called once on the loop, not within this call.
  ///
  /// An endpoint that refuses an assertion while its clock and ours differ is asked once more, with its time.
  func fetch(for account: ServiceAccount, _ completion: @escaping (FCMTokenExchange.Result) -> Void) {
    attempt(account, deadline: .now() + Self.timeout, mayCorrectClock: true, completion)
  }

  private func attempt(
    _ account: ServiceAccount, deadline: MonotonicTime, mayCorrectClock: Bool,
    _ completion: @escaping (FCMTokenExchange.Result) -> Void
  ) {
    let request: HTTPRequest
    do throws(CryptoError) {
      request = try FCMTokenExchange.request(for: account, now: correctedTime)
    } catch {
      loop.schedule(at: loop.now) { completion(.failed(Self.unsigned(error))) }
      return
    }
    channel.send(request, deadline: deadline) { answer in
      switch answer {
      case .response(let response):
        if mayCorrectClock, self.correctClock(after: response) {
          return self.attempt(account, deadline: deadline, mayCorrectClock: false, completion)
        }
        completion(
          FCMTokenExchange.result(
            status: response.status, retryAfter: response.fields.first("retry-after"), body: response.body,
            now: self.clock(), date: response.fields.first("date")))
      case .failure(.timedOut):
        // Not the push's own deadline, so not its outcome.
        completion(
          .failed(.unavailable(reason: "token endpoint: no answer within \(Self.timeout)", retryAfter: nil)))
      case .failure(let outcome): completion(.failed(outcome))
      }
    }
  }

  private var correctedTime: UInt64 {
    UInt64(clamping: Int64(clamping: clock()) + clockOffset)
  }

  /// True when `response` is a refusal that the right time may mend.
  private func correctClock(after response: HTTPResponse) -> Bool {
    guard response.status == 400 || response.status == 401,
      let theirs = response.fields.first("date").flatMap({ RetryAfter.seconds(ofDate: $0) })
    else { return false }
    let offset = Int64(clamping: theirs) - Int64(clamping: clock())
    guard (offset - clockOffset).magnitude > FCMTokenExchange.clockTolerance else { return false }
    clockOffset = offset
    return true
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

import EventLoop
import HTTP

/// Sends pushes to FCM. Loop thread only.
public final class FCMClient: Gateway {
  public let name = "fcm"
  public var peer: String { channel.peer }
  public var load: GatewayLoad { channel.load }
  /// Pushes sent without their message because they were too large.
  public private(set) var trimmedPushes: UInt64 = 0

  private let channel: GatewayChannel
  private let source: FCMAccessTokenSource
  private let fetcher: FCMTokenFetcher
  private let authority: String
  private let path: String
  private let oversize: OversizePolicy
  private let clock: @Sendable () -> UInt64

  /// A push under way.
  private final class Delivery {
    /// The same bytes for each try.
    let body: [UInt8]
    let deadline: MonotonicTime
    let completion: (GatewayOutcome) -> Void
    var authorization = ""
    var isRepeated = false
    /// Runs while the push waits for a token.
    var deadlineTimer: Timer?

    init(_ body: [UInt8], deadline: MonotonicTime, completion: @escaping (GatewayOutcome) -> Void) {
      self.body = body
      self.deadline = deadline
      self.completion = completion
    }
  }

  /// How to keep connections to Google: it ends those that ping often with ENHANCE_YOUR_CALM, and closes
  /// idle ones itself.
  public static var connectionConfiguration: HTTP2Client.Configuration {
    var configuration = HTTP2Client.Configuration()
    configuration.pingAfterIdle = .seconds(3600)
    configuration.pingAfterSilence = .seconds(10)
    return configuration
  }

  /// - Parameters:
  ///   - http: from `endpoint.makeClient`; owned by this client from now on.
  ///   - source: shared by all workers.
  ///   - tokenHTTP: from `source.account.tokenEndpoint.endpoint.makeClient`; owned as well.
  ///   - clock: gives seconds since the epoch.
  public init(
    loop: EventLoop, endpoint: GatewayEndpoint = .fcm, http: HTTP2Client, source: FCMAccessTokenSource,
    tokenHTTP: HTTP2Client, oversize: OversizePolicy,
    clock: @escaping @Sendable () -> UInt64 = { WallClock.seconds() }
  ) {
    channel = GatewayChannel(loop: loop, peer: endpoint.description, http: http)
    fetcher = FCMTokenFetcher(
      loop: loop, endpoint: source.account.tokenEndpoint.endpoint, http: tokenHTTP, clock: clock)
    self.source = source
    authority = endpoint.authority
    path = FCMRequest.path(projectID: source.account.projectID)
    self.oversize = oversize
    self.clock = clock
  }

  public func deliver(_ push: GatewayPush, _ completion: @escaping (GatewayOutcome) -> Void) {
    guard channel.begin(deadline: push.deadline, completion) else { return }
    guard case .content(let message, let isTrimmed) = FCMPayload.build(push.notification, oversize: oversize)
    else { return channel.endSoon(.payloadTooLarge, completion) }
    if isTrimmed { trimmedPushes += 1 }
    let body = FCMPayload.body(
      message, token: push.deviceToken, id: push.id.description, lifetime: push.lifetime)
    authorize(Delivery(body, deadline: push.deadline, completion: completion))
  }

  public func shutdown(_ completion: @escaping () -> Void) {
    channel.shutdown { self.fetcher.shutdown(completion) }
  }

  // MARK: The token

  private func authorize(_ delivery: Delivery) {
    let answer = source.authorization(through: fetcher) {
      let bound = LoopBound((client: self, delivery: delivery), loop: channel.loop)
      return { answer in bound.run { $0.client.stopWaiting($0.delivery, answer) } }
    }
    switch answer {
    case .authorization(let authorization): send(delivery, authorization)
    case .failed(let outcome): channel.endSoon(outcome, delivery.completion)
    case nil:
      delivery.deadlineTimer = channel.loop.schedule(at: delivery.deadline) {
        delivery.deadlineTimer = nil
        self.channel.end(.timedOut, delivery.completion)
      }
    }
  }

  private func stopWaiting(_ delivery: Delivery, _ answer: FCMAccessTokenSource.Answer) {
    // Nothing to do when the deadline came first.
    guard let timer = delivery.deadlineTimer else { return }
    timer.cancel()
    delivery.deadlineTimer = nil
    switch answer {
    case .authorization(let authorization): send(delivery, authorization)
    case .failed(let outcome): channel.end(outcome, delivery.completion)
    }
  }

  // MARK: The push

  private func send(_ delivery: Delivery, _ authorization: String) {
    delivery.authorization = authorization
    let request = FCMRequest.build(
      body: delivery.body, authority: authority, path: path, authorization: authorization)
    channel.send(request, deadline: delivery.deadline) { answer in
      switch answer {
      case .response(let response): self.handle(response, delivery)
      case .failure(let outcome): self.channel.end(outcome, delivery.completion)
      }
    }
  }

  private func handle(_ response: HTTPResponse, _ delivery: Delivery) {
    if response.status == 200 { return channel.end(.accepted, delivery.completion) }
    let verdict = FCMResponse.verdict(
      status: response.status, retryAfter: response.fields.first("retry-after"), body: response.body,
      now: clock())
    // Once a push: what is refused with a new token too is for the operator.
    if verdict.remedy == .refreshCredentials, !delivery.isRepeated, source.refused(delivery.authorization) {
      delivery.isRepeated = true
      return authorize(delivery)
    }
    channel.end(verdict.outcome, delivery.completion)
  }
}

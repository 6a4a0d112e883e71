import Crypto
import EventLoop
import HTTP

/// Sends pushes to APNs. Loop thread only.
public final class APNsClient: Gateway {
  public let name = "apns"
  public var peer: String { channel.peer }
  public var load: GatewayLoad { channel.load }
  /// Pushes sent without their message because they were too large.
  public private(set) var trimmedPushes: UInt64 = 0

  private let channel: GatewayChannel
  private let authority: String
  private let topic: String
  private let token: APNsProviderToken?
  private let oversize: OversizePolicy
  private let clock: @Sendable () -> UInt64

  /// A push under way.
  private final class Delivery {
    var request: HTTPRequest
    let deadline: MonotonicTime
    let completion: (GatewayOutcome) -> Void
    var isRepeated = false

    init(_ request: HTTPRequest, deadline: MonotonicTime, completion: @escaping (GatewayOutcome) -> Void) {
      self.request = request
      self.deadline = deadline
      self.completion = completion
    }
  }

  /// - Parameters:
  ///   - http: from `endpoint.makeClient`; owned by this client from now on.
  ///   - topic: the app's bundle ID.
  ///   - token: shared by all workers; nil when `http` presents a client certificate instead.
  ///   - clock: gives seconds since the epoch.
  public init(
    loop: EventLoop, endpoint: GatewayEndpoint, http: HTTP2Client, topic: String, token: APNsProviderToken?,
    oversize: OversizePolicy, clock: @escaping @Sendable () -> UInt64 = { WallClock.seconds() }
  ) {
    channel = GatewayChannel(loop: loop, peer: endpoint.description, http: http)
    authority = endpoint.authority
    self.topic = topic
    self.token = token
    self.oversize = oversize
    self.clock = clock
  }

  public func deliver(_ push: GatewayPush, _ completion: @escaping (GatewayOutcome) -> Void) {
    guard channel.begin(deadline: push.deadline, completion) else { return }
    guard case .content(let payload, let isTrimmed) = APNsPayload.build(push.notification, oversize: oversize)
    else { return channel.endSoon(.payloadTooLarge, completion) }
    var authorization: String?
    do throws(CryptoError) {
      authorization = try token?.authorization()
    } catch {
      return channel.endSoon(Self.unsigned(error), completion)
    }
    guard
      let request = APNsRequest.build(
        push, payload: payload, authority: authority, topic: topic, authorization: authorization)
    else { return channel.endSoon(APNsRequest.malformedToken, completion) }
    if isTrimmed { trimmedPushes += 1 }
    send(Delivery(request, deadline: push.deadline, completion: completion))
  }

  public func shutdown(_ completion: @escaping () -> Void) {
    channel.shutdown(completion)
  }

  private func send(_ delivery: Delivery) {
    channel.send(delivery.request, deadline: delivery.deadline) { answer in
      switch answer {
      case .response(let response): self.handle(response, delivery)
      case .failure(let outcome): self.channel.end(outcome, delivery.completion)
      }
    }
  }

  private func handle(_ response: HTTPResponse, _ delivery: Delivery) {
    // Nearly always so, and nothing in it is of interest.
    if response.status == 200 { return channel.end(.accepted, delivery.completion) }
    let verdict = APNsResponse.verdict(
      status: response.status, retryAfter: response.fields.first("retry-after"), body: response.body,
      now: clock())
    if mend(verdict.remedy, delivery) {
      send(delivery)
    } else {
      channel.end(verdict.outcome, delivery.completion)
    }
  }

  /// Applies a remedy; true when the push is to be sent once more. That happens once a push: what then
  /// fails is for the caller's patience.
  private func mend(_ remedy: GatewayVerdict.Remedy, _ delivery: Delivery) -> Bool {
    switch remedy {
    case .none: return false
    case .newConnection:
      // Even after a repetition: other pushes should not end up there.
      let hasLeft = channel.leaveConnection()
      guard hasLeft, !delivery.isRepeated else { return false }
    case .refreshCredentials:
      guard !delivery.isRepeated, let rejected = delivery.request.fields.first("authorization"),
        let replacement = try? token?.replacement(for: rejected)
      else { return false }
      delivery.request.fields.set("authorization", replacement)
    }
    delivery.isRepeated = true
    return true
  }

  private static func unsigned(_ error: CryptoError) -> GatewayOutcome {
    .rejected(
      reason: "no provider token: \(error)",
      advice: "the APNs key can't sign: check that the key file is the .p8 from Apple's developer portal")
  }
}

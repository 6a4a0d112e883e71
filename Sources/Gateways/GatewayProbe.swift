import Crypto
import EventLoop
import HTTP
import JSON
import TLS

/// What a gateway answered to a probe.
public struct GatewayProbeAnswer: Sendable {
  /// Nil when there was no answer.
  public var status: Int?
  /// The gateway's own word; empty when it has none.
  public var reason: String
  /// What the answer means for a push.
  public var outcome: GatewayOutcome
  /// The gateway's clock in seconds since the epoch, from its `Date` field.
  public var date: UInt64?
}

/// One request to a gateway that shows whether it takes our credentials and reaches no device. Loop thread
/// only; kept alive by the request.
public enum GatewayProbe {
  public typealias Completion = (GatewayProbeAnswer) -> Void

  /// Bounds a probe, the fetch of an access token included.
  private static let timeout = Duration.seconds(15)
  /// No device has it: with good credentials APNs answers BadDeviceToken.
  private static let apnsToken = String(repeating: "0", count: 64)
  /// Not of the form of a registration token: with good credentials FCM answers INVALID_ARGUMENT.
  private static let fcmToken = "pushbox-check"
  private static let notification = Notification.raw(topic: "pushbox-check", tag: 0, message: "")

  /// Pushes to an all-zero token at APNs. `completion` is called once on the loop.
  ///
  /// - Parameters:
  ///   - proxy: to go through, as pushes do.
  ///   - token: nil when the TLS context presents a client certificate.
  public static func apns(
    loop: EventLoop, endpoint: GatewayEndpoint, tls: TLSContext, proxy: OutboundProxy?, topic: String,
    token: APNsProviderToken?,
    _ completion: @escaping Completion
  ) {
    let deadline = MonotonicTime.now() + timeout
    let push = GatewayPush(
      id: PushID(messageID: "pushbox-check", clientID: "pushbox-check"), deviceToken: apnsToken,
      notification: notification, lifetime: NotificationLifetime(0, from: 0), deadline: deadline)
    var authorization: String?
    do throws(CryptoError) {
      authorization = try token?.authorization()
    } catch {
      return completion(
        failure(.rejected(reason: "no provider token: \(error)", advice: "check the APNs key")))
    }
    guard case .content(let payload, _) = APNsPayload.build(notification, oversize: .reject),
      let request = APNsRequest.build(
        push, payload: payload, authority: endpoint.authority, topic: topic, authorization: authorization)
    else { return completion(failure(.invalidRequest(reason: "no request could be made"))) }
    send(request, to: endpoint, loop, tls, proxy, deadline) { result in
      switch result {
      case .failure(let answer): completion(answer)
      case .success(let response):
        let now = WallClock.seconds()
        completion(
          answer(
            response, word: (try? JSON.parse(response.body))?["reason"]?.stringValue,
            APNsResponse.verdict(
              status: response.status, retryAfter: response.fields.first("retry-after"), body: response.body,
              now: now
            ).outcome))
      }
    }
  }

  /// Fetches an access token and has FCM validate, not send, a message. `completion` is called once on the
  /// loop.
  public static func fcm(
    loop: EventLoop, endpoint: GatewayEndpoint, tls: TLSContext, proxy: OutboundProxy?,
    account: ServiceAccount,
    _ completion: @escaping Completion
  ) {
    let deadline = MonotonicTime.now() + timeout
    let now = WallClock.seconds()
    let request: HTTPRequest
    do throws(CryptoError) {
      request = try FCMTokenExchange.request(for: account, now: now)
    } catch {
      return completion(
        failure(.rejected(reason: "no access token: \(error)", advice: "check the service account's key")))
    }
    send(request, to: account.tokenEndpoint.endpoint, loop, tls, proxy, deadline) { result in
      switch result {
      case .failure(let answer): completion(answer)
      case .success(let response):
        let exchange = FCMTokenExchange.result(
          status: response.status, retryAfter: response.fields.first("retry-after"), body: response.body,
          now: now)
        switch exchange {
        case .failed(let outcome):
          completion(
            answer(response, word: (try? JSON.parse(response.body))?["error"]?.stringValue, outcome))
        case .token(let token, _):
          validate(loop, endpoint, tls, proxy, account, "Bearer " + token, deadline, completion)
        }
      }
    }
  }

  private static func validate(
    _ loop: EventLoop, _ endpoint: GatewayEndpoint, _ tls: TLSContext, _ proxy: OutboundProxy?,
    _ account: ServiceAccount,
    _ authorization: String, _ deadline: MonotonicTime, _ completion: @escaping Completion
  ) {
    var body = JSONWriter()
    body.beginObject()
    body.member("validate_only", true)
    body.key("message")
    body.beginObject()
    body.member("token", fcmToken)
    body.endObject()
    body.endObject()
    let request = FCMRequest.build(
      body: body.bytes, authority: endpoint.authority,
      path: FCMRequest.path(projectID: account.projectID), authorization: authorization)
    send(request, to: endpoint, loop, tls, proxy, deadline) { result in
      switch result {
      case .failure(let answer): completion(answer)
      case .success(let response):
        completion(
          answer(
            response, word: (try? JSON.parse(response.body))?["error"]?["status"]?.stringValue,
            FCMResponse.verdict(
              status: response.status, retryAfter: response.fields.first("retry-after"), body: response.body,
              now: WallClock.seconds()
            ).outcome))
      }
    }
  }

  // MARK: One request

  private enum Exchange {
    case success(HTTPResponse)
    case failure(GatewayProbeAnswer)
  }

  /// Over a connection of its own, which is closed before `completion` is called.
  private static func send(
    _ request: HTTPRequest, to endpoint: GatewayEndpoint, _ loop: EventLoop, _ tls: TLSContext,
    _ proxy: OutboundProxy?, _ deadline: MonotonicTime, _ completion: @escaping (Exchange) -> Void
  ) {
    let http = endpoint.makeClient(loop: loop, tls: tls, proxy: proxy)
    http.send(request, deadline: deadline) { result in
      let exchange: Exchange
      switch result {
      case .success(let response): exchange = .success(response)
      case .failure(let error):
        exchange = .failure(failure(GatewayChannel.outcome(of: error, peer: endpoint.description)))
      }
      // Not from within the client's own call.
      loop.schedule(at: loop.now) { http.shutdown { completion(exchange) } }
    }
  }

  private static func failure(_ outcome: GatewayOutcome) -> GatewayProbeAnswer {
    GatewayProbeAnswer(status: nil, reason: "", outcome: outcome, date: nil)
  }

  private static func answer(
    _ response: HTTPResponse, word: String?, _ outcome: GatewayOutcome
  ) -> GatewayProbeAnswer {
    GatewayProbeAnswer(
      status: response.status, reason: GatewayReason.shown(word, status: response.status), outcome: outcome,
      date: response.fields.first("date").flatMap(RetryAfter.seconds(ofDate:)))
  }
}

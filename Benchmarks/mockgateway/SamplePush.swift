import Bytes
import Crypto
import EventLoop
import Gateways
import HTTP
import MockGateway

/// A push to APNs, made as pushbox makes it, for another load generator to send.
struct SamplePush {
  let path: String
  let fields: HTTPFields
  let payload: [UInt8]

  init(_ gateway: MockGateway) throws {
    let credentials = gateway.credentials
    let token = APNsProviderToken(
      teamID: credentials.apnsTeamID, keyID: credentials.apnsKeyID, key: credentials.apnsKey,
      clock: { WallClock.seconds() })
    // As large as the messages that `pushload` sends.
    let message = Base64.encode(try Random.bytes(384))
    let push = GatewayPush(
      id: PushID(messageID: "sample", clientID: "sample"), deviceToken: Hex.encode(try Random.bytes(32)),
      notification: .raw(topic: Hex.encode(try Random.bytes(32)), tag: 1108, message: message),
      lifetime: NotificationLifetime(300, from: WallClock.seconds()), deadline: .now())
    guard
      case .content(let payload, trimmed: false) = APNsPayload.build(push.notification, oversize: .reject),
      let request = APNsRequest.build(
        push, payload: payload, authority: gateway.authority(of: .apnsProduction),
        topic: credentials.apnsTopic, authorization: try token.authorization())
    else { throw SampleError() }
    path = request.path
    fields = request.fields
    self.payload = payload
  }
}

private struct SampleError: Error, CustomStringConvertible {
  let description = "the sample push could not be made"
}

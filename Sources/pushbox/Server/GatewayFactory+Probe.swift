import EventLoop
import Gateways
import Store

extension GatewayFactory {
  /// Probes every gateway that is configured, on `loop`; `completion` is called once for each with the name
  /// of the kind of device token.
  func probe(on loop: EventLoop, _ completion: @escaping (String, GatewayProbeAnswer) -> Void) {
    if let apple {
      for (kind, endpoint) in apple.endpoints {
        GatewayProbe.apns(
          loop: loop, endpoint: endpoint, tls: apple.tls, proxy: proxy, topic: apple.topic, token: apple.token
        ) { completion(kind.name, $0) }
      }
    }
    if let google {
      GatewayProbe.fcm(
        loop: loop, endpoint: google.endpoint, tls: google.tls, proxy: proxy, account: google.source.account
      ) { completion(TokenKind.fcm.name, $0) }
    }
  }
}

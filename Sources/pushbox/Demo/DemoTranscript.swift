import JSON
import MockGateway
import MockRelay

/// Prints what happens, and counts what is not as it should be.
final class DemoTranscript {
  private(set) var failures = 0
  private var steps = 0

  func introduce(_ stage: DemoStage) {
    Terminal.print(
      """
      pushbox demo: the main job on loopback; nothing leaves this machine

        pushbox         http://\(stage.address)  (real server, store in \(stage.folder))
        APNs            \(stage.gateway.url(of: .apnsProduction))  (mock: HTTP/2 over TLS, verifies the provider token)
        APNs sandbox    \(stage.gateway.url(of: .apnsSandbox))
        FCM             \(stage.gateway.url(of: .fcm))  (mock: verifies the access token)
        Google OAuth    \(stage.gateway.url(of: .oauth))  (mock: verifies the signed assertion)
        relay key       \(stage.relay.publicKeyHex)
      """)
  }

  func chapter(_ title: String) {
    Terminal.print("\n\(title)")
  }

  /// One step: what came in, what was answered, and whether that is right.
  func step(_ what: String, _ response: BlockingHTTPResponse, expected: Bool) {
    steps += 1
    if !expected { failures += 1 }
    let mark = expected ? Self.okay : Self.failed
    Terminal.print("  \(mark) \(what)")
    Terminal.print("       <- \(response.status) \(Self.cut(response.text, 150))")
  }

  /// What a gateway got.
  func delivered(_ delivery: MockGateway.Delivery) {
    Terminal.print("       -> \(delivery.service.title), device \(Self.shortened(delivery.deviceToken))")
    for name in ["apns-topic", "apns-push-type", "apns-priority", "apns-id"] {
      if let value = delivery.fields.first(name) { Terminal.print("          \(name): \(value)") }
    }
    var writer = JSONWriter()
    writer.value(delivery.payload.hidingToken)
    Terminal.print("          \(Self.cut(writer.string, 220))")
  }

  func nothingDelivered() {
    Terminal.print("       -> nothing went to a gateway")
  }

  /// A check that is no request.
  func check(_ what: String, _ isTrue: Bool) {
    steps += 1
    if !isTrue { failures += 1 }
    Terminal.print("  \(isTrue ? Self.okay : Self.failed) \(what)")
  }

  func conclude() {
    guard failures == 0 else {
      Terminal.print("\n\(failures) of \(steps) steps did not go as they should.")
      return
    }
    Terminal.print("\nAll \(steps) steps went as they should.")
  }

  private static var okay: String { Terminal.paint("ok  ", .green) }
  private static var failed: String { Terminal.paint("FAIL", .red) }

  /// The demo's tokens are made up, but a token in full is a bad example.
  static func shortened(_ token: String) -> String {
    token.count > 12 ? "\(token.prefix(6))…\(token.suffix(4))" : token
  }

  private static func cut(_ text: String, _ length: Int) -> String {
    text.count <= length ? text : "\(text.prefix(length))…"
  }
}

extension MockGateway.Service {
  fileprivate var title: String {
    switch self {
    case .apnsProduction: "APNs"
    case .apnsSandbox: "APNs sandbox"
    case .fcm: "FCM"
    case .oauth: "OAuth"
    }
  }
}

extension JSONValue {
  /// FCM has the device token in the body.
  fileprivate var hidingToken: JSONValue {
    guard case .object(var object) = self else { return self }
    for index in object.members.indices {
      if object.members[index].key == "token", let token = object.members[index].value.stringValue {
        object.members[index].value = .string(DemoTranscript.shortened(token))
      } else {
        object.members[index].value = object.members[index].value.hidingToken
      }
    }
    return .object(object)
  }
}

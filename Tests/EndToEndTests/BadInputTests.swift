import EventLoop
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Whatever comes in: a 4xx that says what is wrong, in JSON, and the next request is served.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct BadInputTests {
  private let appliance: Appliance
  private let wallet: MockWallet

  init() throws {
    appliance = try Appliance()
    wallet = try appliance.registered()
  }

  /// The answer is a JSON refusal with this status and error, and the server goes on.
  private func expect(
    _ response: BlockingHTTPResponse, _ status: Int, _ name: String, fields: [String]? = nil,
    _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(response.status == status, "\(comment): \(response.text)", sourceLocation: sourceLocation)
    #expect(response.errorName == name, "\(comment): \(response.text)", sourceLocation: sourceLocation)
    if let fields {
      #expect(response.fieldNames == fields, "\(comment): \(response.text)", sourceLocation: sourceLocation)
    }
    #expect(response.json?["status"]?.stringValue == "FAILURE", sourceLocation: sourceLocation)
    #expect(response.field("x-request-id") != nil, sourceLocation: sourceLocation)
  }

  @Test func registrationBodies() throws {
    let client = appliance.client()
    let id = wallet.clientID
    let cases: [(body: String, status: Int, name: String, fields: [String])] = [
      ("", 400, "decode", []),
      ("{", 400, "decode", []),
      ("[]", 400, "decode", []),
      ("\"text\"", 400, "decode", []),
      ("{}", 422, "field", ["client_id", "type", "token"]),
      (#"{"client_id":1,"type":"apns","token":"t"}"#, 422, "field", ["client_id"]),
      (#"{"client_id":"\#(id)","type":"apns","token":null}"#, 422, "field", ["token"]),
      (#"{"client_id":"\#(id)","type":"apns","token":"t","always_raw":"yes"}"#, 422, "field", ["always_raw"]),
      (#"{"client_id":"","type":"apns","token":"t"}"#, 400, "field", ["client_id"]),
      (#"{"client_id":"did:key:","type":"apns","token":"t"}"#, 400, "field", ["client_id"]),
      (
        #"{"client_id":"\#(String(repeating: "a", count: 256))","type":"apns","token":"t"}"#, 400, "field",
        ["client_id"]
      ),
      (#"{"client_id":"\#(id)","type":"fcm_v1","token":"t"}"#, 400, "provider_not_available", ["provider"]),
      (#"{"client_id":"\#(id)","type":"","token":"t"}"#, 400, "provider_not_available", ["provider"]),
      (#"{"client_id":"\#(id)","type":"apns","token":""}"#, 400, "field", ["token"]),
      (#"{"client_id":"\#(id)","type":"apns","token":"a b"}"#, 400, "field", ["token"]),
      (
        #"{"client_id":"\#(id)","type":"apns","token":"\#(String(repeating: "a", count: 4097))"}"#, 400,
        "field", ["token"]
      ),
    ]
    for (body, status, name, fields) in cases {
      let response = try client.send(
        "POST", "/clients", fields: [("content-type", "application/json")], body: Array(body.utf8))
      expect(response, status, name, fields: fields, String(body.prefix(100)))
    }
    let invalid = try client.send(
      "POST", "/clients", fields: [("content-type", "application/json")],
      body: Array(#"{"client_id":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8))
    expect(invalid, 400, "decode", "bytes that are no UTF-8")
    let text = try client.send("POST", "/clients", fields: [("content-type", "text/plain")], body: [0x7B])
    expect(text, 415, "content_type", fields: ["content-type"], "text/plain")
    #expect(try appliance.register(id, token: Appliance.apnsToken(), over: client).status == 200)
  }

  @Test func pushBodies() throws {
    let client = appliance.client()
    let cases: [(body: String, name: String, fields: [String])] = [
      ("", "decode", []),
      ("nonsense", "decode", []),
      ("[1]", "decode", []),
      (#"{"topic":"t","tag":1}"#, "field", ["message"]),
      (#"{"topic":"t","tag":"1","message":"m"}"#, "field", ["tag"]),
      (#"{"topic":"t","tag":1.0,"message":"m"}"#, "field", ["tag"]),
      (#"{"topic":"t","tag":4294967296,"message":"m"}"#, "field", ["tag"]),
      (#"{"topic":null,"tag":-1,"message":1}"#, "field", ["topic", "tag", "message"]),
      (#"{"id":"1","payload":{"topic":"t","flags":17,"blob":"b"}}"#, "field", ["topic", "tag", "message"]),
    ]
    for (body, name, fields) in cases {
      let response = try appliance.push(wallet.clientID, Array(body.utf8), over: client)
      expect(response, 400, name, fields: fields, body)
    }
    let deep = String(repeating: "[", count: 20_000)
    expect(try appliance.push(wallet.clientID, Array(deep.utf8), over: client), 400, "decode", "nesting")
    #expect(appliance.gateway.deliveryCount == 0)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("good"), over: client).status == 202)
  }

  @Test func signatures() throws {
    let client = appliance.client()
    let body = Appliance.raw("secret")
    let good = try appliance.relay.pushFields(body, timestamp: WallClock.seconds())
    let timestamp = try #require(good.first { $0.name == "X-Ed25519-Timestamp" })
    let signature = try #require(good.first { $0.name == "X-Ed25519-Signature" })
    let json: (name: String, value: String) = ("content-type", "application/json")
    let old = try appliance.relay.signatureFields(body, timestamp: WallClock.seconds() - 300_000)
    let stranger = try MockRelay().signatureFields(body, timestamp: WallClock.seconds())
    let flipped = (signature.value.hasPrefix("0") ? "1" : "0") + signature.value.dropFirst()
    let both = ["X-Ed25519-Signature", "X-Ed25519-Timestamp"]
    let cases: [(fields: [(name: String, value: String)], named: [String], comment: String)] = [
      ([], both, "neither header"),
      ([timestamp], ["X-Ed25519-Signature"], "no signature"),
      ([signature], ["X-Ed25519-Timestamp"], "no timestamp"),
      ([timestamp, (signature.name, "")], ["X-Ed25519-Signature"], "empty"),
      ([timestamp, (signature.name, "bad-signature")], ["X-Ed25519-Signature"], "no hex"),
      (
        [timestamp, (signature.name, "696e76616c69642d7369676e6174757265")], ["X-Ed25519-Signature"], "short"
      ),
      ([timestamp, (signature.name, signature.value + "00")], ["X-Ed25519-Signature"], "long"),
      ([timestamp, (signature.name, flipped)], both, "another signature"),
      ([(timestamp.name, "1"), signature], both, "another timestamp"),
      (stranger, both, "another key"),
      (old, ["X-Ed25519-Timestamp"], "too old"),
    ]
    for (fields, named, comment) in cases {
      let response = try client.send(
        "POST", "/clients/\(wallet.clientID)", fields: [json] + fields, body: body)
      expect(response, 401, "webhook_validation_failed", fields: named, comment)
    }
    #expect(appliance.gateway.counters(of: .apnsProduction).requests == 0)
    let upper: (name: String, value: String) = (signature.name, signature.value.uppercased())
    let response = try client.send(
      "POST", "/clients/\(wallet.clientID)", fields: [json, timestamp, upper], body: body)
    #expect(response.status == 202)
  }

  @Test func routesAndMethods() throws {
    let client = appliance.client()
    let cases: [(method: String, target: String, status: Int, name: String)] = [
      ("GET", "/nothing", 404, "not_found"),
      ("GET", "/clients", 405, "method_not_allowed"),
      ("PUT", "/clients/abc", 405, "method_not_allowed"),
      ("DELETE", "/clients", 405, "method_not_allowed"),
      ("POST", "/health", 405, "method_not_allowed"),
      ("POST", "/clients/a/b", 404, "not_found"),
      ("POST", "/clients/", 404, "not_found"),
      ("POST", "/a/b/clients", 404, "not_found"),
      ("DELETE", "/clients/%zz", 400, "field"),
      ("DELETE", "/clients/%00", 400, "field"),
      ("DELETE", "/clients/%ff", 400, "field"),
      ("DELETE", "/clients/did:key:", 400, "field"),
      ("DELETE", "/clients/\(String(repeating: "a", count: 256))", 400, "field"),
    ]
    for (method, target, status, name) in cases {
      expect(try client.send(method, target), status, name, "\(method) \(target.prefix(60))")
    }
    #expect(try client.send("GET", "/clients").field("allow") == "POST")
    #expect(try client.send("GET", "/health").status == 200)
    #expect(try client.send("GET", "/health").text.hasPrefix("OK v"))
  }

  @Test func oversizeAndMalformedRequests() throws {
    let large = try appliance.client().send(
      "POST", "/clients", fields: [("content-type", "application/json")],
      body: [UInt8](repeating: 0x20, count: 70_000))
    #expect(large.status == 413)
    #expect(large.errorName == "body")
    let shapes: [(request: String, status: Int)] = [
      ("GET /health HTTP/1.1\r\n\r\n", 400),
      ("GET /health HTTP/2.0\r\nhost: a\r\n\r\n", 505),
      ("nonsense\r\n\r\n", 400),
      ("POST /clients HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", 400),
      ("GET /health HTTP/1.1\r\nhost: a\r\n folded: b\r\n\r\n", 400),
      ("GET /health HTTP/1.1\r\nhost : a\r\n\r\n", 400),
      ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nhost: a\r\n\r\n", 414),
      ("GET /health HTTP/1.1\r\nhost: a\r\nx: \(String(repeating: "a", count: 20_000))\r\n\r\n", 431),
    ]
    for (request, status) in shapes {
      let client = appliance.client()
      try client.write(Array(request.utf8))
      let response = try client.read()
      #expect(response.status == status, "\(request.prefix(80)): \(response.text)")
      #expect(response.json?["status"]?.stringValue == "FAILURE", "\(request.prefix(80))")
    }
    #expect(try appliance.client().send("GET", "/health").status == 200)
  }

  @Test func aKindWithoutGatewayIsNamed() throws {
    let gatewayless = try Appliance { settings in settings.omitsFCM = true }
    let response = try gatewayless.register("abc", type: "fcm", token: Appliance.fcmToken())
    expect(response, 400, "provider_not_available", fields: ["type"], "fcm")
  }

  @Test func secretsNeverReachTheLog() throws {
    let token = Appliance.apnsToken()
    let fcmToken = Appliance.fcmToken()
    let wallet = try appliance.registered(token: token)
    let android = try appliance.registered(type: "fcm", token: fcmToken)
    let reactions: [MockGateway.Reaction?] = [
      nil, .apns(.topicDisallowed), .apns(.badDeviceToken), .html(502),
    ]
    for (index, reaction) in reactions.enumerated() {
      if let reaction { appliance.gateway.next(1, reaction, at: .apnsProduction) }
      _ = try appliance.push(wallet.clientID, Appliance.raw("very-private-\(index)"))
      _ = try appliance.push(android.clientID, Appliance.raw("very-private-\(index)"))
    }
    _ = try appliance.client().send(
      "POST", "/clients/\(wallet.clientID)", fields: [("content-type", "application/json")],
      body: Appliance.raw("very-private"))
    #expect(appliance.end(15) == 0)
    let log = appliance.log
    #expect(log.contains("result=client_deleted"), "\(log)")
    for secret in [token, fcmToken, "very-private", wallet.clientID, "eyJ", "PRIVATE KEY"] {
      #expect(!log.contains(secret), "\(secret) is in the log:\n\(log)")
    }
  }
}

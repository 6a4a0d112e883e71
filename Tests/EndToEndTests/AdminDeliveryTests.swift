import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Pushes as the admin API shows them: a test push, the live tail and the list.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct AdminDeliveryTests {
  @Test func aTestPushTellsEachStepAndArrives() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    let browser = try AdminBrowser(signedInAt: appliance)
    let path = "registrations/\(wallet.clientID)/test-push"
    let plain = try browser.send("POST", path)
    #expect(plain.status == 200)
    let names = plain.json?["steps"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
    #expect(names == ["registration", "gateway", "sent", "answer"])
    #expect(plain.json?["result"]?["outcome"]?.stringValue == "accepted")
    #expect(appliance.gateway.deliveryCount == 1)
    let events = try browser.send("POST", path, more: [("accept", "text/event-stream")])
    #expect(events.field("content-type") == "text/event-stream")
    #expect(events.text.split(separator: "\n").filter { $0 == "event: step" }.count == 4)
    #expect(events.text.contains("event: result\ndata: {\"ok\":true"))
    #expect(appliance.gateway.deliveryCount == 2)
    let listed = try browser.get("deliveries").json
    #expect(listed?["items"]?[0]?["source"]?.stringValue == "test")
    let unknown = try browser.send("POST", "registrations/nobody/test-push")
    #expect(unknown.json?["result"]?["outcome"]?.stringValue == "unknown_client")
  }

  @Test func theLiveTailShowsPushesAsTheyEnd() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    let browser = try AdminBrowser(signedInAt: appliance)
    let tail = appliance.client()
    let path = "/admin/api/deliveries/stream?outcome=accepted&client_id=" + wallet.clientID
    try tail.begin("GET", path, fields: browser.fields)
    let head = try tail.readHead()
    #expect(head.status == 200)
    #expect(head.field("content-type") == "text/event-stream")
    // The first comment says that it has begun.
    #expect(try tail.readChunk() == Array(":\n\n".utf8))
    _ = try appliance.push("nobody", Appliance.raw("0"))
    var text = ""
    for index in 1...3 {
      #expect(try appliance.push(wallet.clientID, Appliance.raw("\(index)")).status == 202)
      while text.split(separator: "\n").filter({ $0 == "event: delivery" }).count < index {
        text += String(decoding: try #require(try tail.readChunk()), as: UTF8.self)
      }
    }
    #expect(!text.contains("nobody"))
    let line = text.split(separator: "\n").first { $0.hasPrefix("data: ") } ?? ""
    let record = try JSON.parse(Array(line.dropFirst(6).utf8))
    #expect(record["client_id"]?.stringValue == wallet.clientID)
    #expect(record["peer"]?.stringValue == "127.0.0.1")
    let names = record["steps"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
    #expect(names == ["received", "verified", "looked_up", "sent", "answered"])
    let times = record["steps"]?.arrayValue?.compactMap { $0["at_ms"]?.doubleValue } ?? []
    #expect(times == times.sorted() && (times.last ?? 0) > 0)
    // Whoever signs out sees no more.
    #expect(try browser.send("POST", "logout").status == 200)
    var rest = ""
    let end = MonotonicTime.now() + .seconds(20)
    while MonotonicTime.now() < end, let chunk = try tail.readChunk() {
      rest += String(decoding: chunk, as: UTF8.self)
    }
    #expect(rest.contains("event: signed_out"))
  }

  @Test func aServerThatStopsEndsItsStreams() throws {
    let appliance = try Appliance.withAdmin()
    let browser = try AdminBrowser(signedInAt: appliance)
    let tail = appliance.client()
    try tail.begin("GET", "/admin/api/deliveries/stream", fields: browser.fields)
    #expect(try tail.readHead().status == 200)
    let start = MonotonicTime.now()
    #expect(appliance.end(SIGTERM) == 0)
    // Far below the grace of 30 s.
    #expect(MonotonicTime.now() - start < .seconds(15))
  }

  /// A HEAD request takes no place among the streams.
  @Test func onlyTheHeadOfAStreamCanBeAskedForAnyNumberOfTimes() throws {
    let appliance = try Appliance.withAdmin()
    let browser = try AdminBrowser(signedInAt: appliance)
    let path = "/admin/api/deliveries/stream"
    for _ in 0..<40 {
      #expect(try appliance.client().send("HEAD", path, fields: browser.fields).status == 200)
    }
    let tail = appliance.client()
    try tail.begin("GET", path, fields: browser.fields)
    #expect(try tail.readHead().status == 200)
  }

  @Test func deliveriesCanBeFiltered() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    _ = try appliance.push(wallet.clientID, Appliance.raw("1"))
    _ = try appliance.push(wallet.clientID, Appliance.raw("1"))
    _ = try appliance.push("nobody", Appliance.raw("2"))
    let browser = try AdminBrowser(signedInAt: appliance)
    func outcomes(_ query: String) throws -> [String] {
      try browser.get("deliveries?" + query).json?["items"]?.arrayValue?
        .compactMap { $0["outcome"]?.stringValue } ?? []
    }
    #expect(Set(try outcomes("")) == ["accepted", "duplicate", "unknown_client"])
    #expect(try outcomes("outcome=problems") == ["unknown_client"])
    #expect(try outcomes("outcome=duplicate&gateway=apns") == ["duplicate"])
    #expect(try outcomes("gateway=fcm") == [])
    #expect(try outcomes("client_id=nobo") == ["unknown_client"])
    #expect(try outcomes("limit=1").count == 1)
    for query in ["outcome=great", "gateway=pager", "limit=0", "limit=x", "client_id="] {
      #expect(try browser.get("deliveries?" + query).status == 400, "\(query)")
    }
  }
}

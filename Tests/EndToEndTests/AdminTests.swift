import Bytes
import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// What an operator sees and does by way of the admin API.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(4))) struct AdminTests {
  @Test func theOverviewShowsTheServer() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    _ = try appliance.register(wallet.clientID, type: "pager", token: "x")
    let browser = try AdminBrowser(signedInAt: appliance)
    let overview = try #require(try browser.get("overview").json)
    #expect(overview["server"]?["workers"]?.uint64Value == 2)
    let gateways = overview["gateways"]?.arrayValue ?? []
    let apns = gateways.first { $0["name"]?.stringValue == "apns" }
    #expect(apns?["state"]?.stringValue == "ok")
    #expect(apns?["since_at"]?.uint64Value ?? 0 > 1_700_000_000_000)
    #expect(apns?["attempts"]?.uint64Value == 1)
    #expect(overview["pushes"]?["total"]?["accepted"]?.uint64Value == 1)
    #expect(overview["registrations"]?["active"]?["apns"]?.uint64Value == 1)
    #expect(overview["registrations"]?["refused"]?[0]?["reason"]?.stringValue == "type")
    #expect(overview["reload"]?["generation"]?.uint64Value == 1)
    #expect(overview["store"]?["level"]?.stringValue == "ok")
    let names = overview["credentials"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
    #expect(names.contains { $0.hasPrefix("APNs signing key") })
    #expect(overview["history"]?["count"]?.uint64Value == 120)
  }

  @Test func numbersOverTimeShowThePushes() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    for index in 0..<5 { _ = try appliance.push(wallet.clientID, Appliance.raw("\(index)")) }
    let browser = try AdminBrowser(signedInAt: appliance)
    for path in ["range=hour&step_s=1", "range=hour", "range=month", "range=month&step_s=60"] {
      // The numbers are taken once a second.
      let isThere = try waitUntil {
        let history = try browser.get("metrics/history?" + path).json
        let counts = history?["pushes"]?["accepted"]?.arrayValue?.compactMap { $0.uint64Value } ?? []
        let length = history?["count"]?.uint64Value ?? 0
        return counts.reduce(0, +) == 5 && UInt64(counts.count) == length
      }
      #expect(isThere, "\(path)")
    }
    for path in ["range=year", "", "range=hour&step_s=7", "range=month&step_s=1", "range=hour&range=hour"] {
      #expect(try browser.get("metrics/history?" + path).status == 400, "\(path)")
    }
  }

  @Test func aMinuteOutlivesTheProcess() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    let browser = try AdminBrowser(signedInAt: appliance)
    let isCounted = try waitUntil {
      try browser.get("metrics/history?range=month").json?["pushes"]?["accepted"] != nil
    }
    #expect(isCounted)
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.restart()
    let history = try AdminBrowser(signedInAt: appliance).get("metrics/history?range=month").json
    let counts = history?["pushes"]?["accepted"]?.arrayValue?.compactMap { $0.uint64Value } ?? []
    #expect(counts.reduce(0, +) == 1)
  }

  @Test func aRegistrationIsFoundByItsIDAndByItsToken() throws {
    let appliance = try Appliance.withAdmin()
    let tokens = [Appliance.apnsToken(), Appliance.fcmToken()]
    let apple = try appliance.registered(token: tokens[0])
    let google = try appliance.registered(type: "fcm", token: tokens[1])
    #expect(try appliance.push(apple.clientID, Appliance.raw("1")).status == 202)
    let browser = try AdminBrowser(signedInAt: appliance)
    for query in [apple.clientID, "did:key:" + apple.clientID, String(apple.clientID.prefix(20)), tokens[0]] {
      let page = try browser.search(#"{"query":"\#(query)"}"#)
      #expect(page?["items"]?.arrayValue?.count == 1, "\(query)")
      #expect(page?["items"]?[0]?["client_id"]?.stringValue == apple.clientID)
      #expect(page?["matched_by"]?.stringValue == (query == tokens[0] ? "token" : "client_id"))
    }
    let shown = try appliance.command("clients", "show", google.clientID, "--json").text
    let name = try #require(try JSON.parse(Array(shown.utf8))["pseudonym"]?.stringValue)
    let byName = try browser.search(#"{"query":"\#(name)"}"#)
    #expect(byName?["matched_by"]?.stringValue == "pseudonym")
    #expect(byName?["items"]?.arrayValue?.count == 1)
    #expect(byName?["items"]?[0]?["client_id"]?.stringValue == google.clientID)
    let nobody = try browser.search(##"{"query":"#0123456789abcdef"}"##)
    #expect(nobody?["items"]?.arrayValue == [] && nobody?["next_cursor"]?.isNull == true)
    let byToken = try browser.search(#"{"query":" \#(tokens[1])\n"}"#)
    #expect(byToken?["items"]?[0]?["client_id"]?.stringValue == google.clientID)
    #expect(try browser.search(#"{"query":"\#(tokens[1].dropLast())"}"#)?["items"]?.arrayValue == [])
    let fcm = try browser.search(#"{"type":"fcm"}"#)
    #expect(fcm?["items"]?.arrayValue?.count == 1)
    // What was pushed to is noted about once a second.
    let isNoted = try waitUntil {
      try browser.get("registrations/" + apple.clientID).json?["pushes"]?["delivered"]?.uint64Value == 1
    }
    #expect(isNoted)
    let never = try browser.search(#"{"never_pushed":true}"#)
    #expect(never?["items"]?[0]?["client_id"]?.stringValue == google.clientID)
    #expect(never?["items"]?.arrayValue?.count == 1)
    for text in ["[]", "{", #"{"limit":0}"#, #"{"limit":201}"#, #"{"type":"pager"}"#, #"{"query":7}"#] {
      #expect(try browser.send("POST", "registrations/search", text).status == 400, "\(text)")
    }
    for token in tokens {
      #expect(!appliance.log.contains(token))
      for path in ["registrations/" + apple.clientID, "deliveries", "why/" + apple.clientID, "configuration"]
      {
        #expect(try !browser.get(path).text.contains(token), "\(path)")
      }
    }
  }

  @Test func pagesStayStableWhileOthersWrite() throws {
    let appliance = try Appliance.withAdmin()
    let client = appliance.client()
    var expected: [String] = []
    for index in 0..<120 {
      let id = "client-\(1000 + index)"
      expected.append(id)
      #expect(try appliance.register(id, token: Appliance.apnsToken(), over: client).status == 200)
    }
    let browser = try AdminBrowser(signedInAt: appliance)
    var found: [String] = []
    var cursor = "null"
    for round in 0..<20 {
      let page = try browser.search(#"{"query":"client-","cursor":\#(cursor),"limit":13}"#)
      found += page?["items"]?.arrayValue?.compactMap { $0["client_id"]?.stringValue } ?? []
      // Rows come and go on both sides of the cursor.
      _ = try appliance.register("client-0\(round)", token: Appliance.apnsToken(), over: client)
      _ = try appliance.register("other-\(round)", token: Appliance.apnsToken(), over: client)
      guard let next = page?["next_cursor"]?.stringValue else { break }
      cursor = "\"\(next)\""
    }
    let isSame = found == expected
    #expect(isSame, "\(found.count) of \(expected.count)")
  }

  @Test func aDeletionCanBeUndone() throws {
    let appliance = try Appliance.withAdmin()
    let token = Appliance.apnsToken()
    let wallet = try appliance.registered(token: token)
    let path = "registrations/" + wallet.clientID
    let browser = try AdminBrowser(signedInAt: appliance)
    let before = try browser.get(path).json
    let deletion = try browser.send("DELETE", path)
    #expect(deletion.status == 200)
    #expect(!deletion.text.contains(token))
    #expect(try browser.get(path).status == 404)
    #expect(try browser.send("DELETE", path).status == 404)
    let undo = try #require(deletion.json?["undo"]?["id"]?.stringValue)
    // Another client's deletion is none of this one's.
    #expect(try browser.send("POST", "registrations/other/restore", #"{"undo":"\#(undo)"}"#).status == 409)
    let restored = try browser.send("POST", path + "/restore", #"{"undo":"\#(undo)"}"#)
    #expect(restored.status == 200, "\(restored.text)")
    #expect(restored.json == before)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("back")).status == 202)
    #expect(try browser.send("POST", path + "/restore", #"{"undo":"\#(undo)"}"#).errorName == "undo_expired")

    // Who registers meanwhile keeps the new registration.
    let second = try #require(try browser.send("DELETE", path).json?["undo"]?["id"]?.stringValue)
    #expect(try appliance.register(wallet.clientID, token: Appliance.apnsToken()).status == 200)
    let late = try browser.send("POST", path + "/restore", #"{"undo":"\#(second)"}"#)
    #expect(late.status == 409)
    #expect(late.errorName == "registered_meanwhile")
  }

  @Test func aTombstoneIsExplainedAndRevived() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    let path = "registrations/" + wallet.clientID
    let browser = try AdminBrowser(signedInAt: appliance)
    #expect(try browser.send("POST", path + "/revive").errorName == "not_tombstoned")
    appliance.gateway.next(1, .apns(.unregistered), at: .apnsProduction)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    let why = try browser.get("why/" + wallet.clientID).json
    #expect(why?["verdict"]?["code"]?.stringValue == "tombstoned")
    #expect(why?["verdict"]?["text"]?.stringValue?.contains("Unregistered") == true)
    #expect(why?["registration"]?["state"]?.stringValue == "tombstoned")
    #expect(why?["calls"]?[0]?["outcome"]?.stringValue == "client_deleted")
    #expect(try browser.search(#"{"state":"tombstoned"}"#)?["items"]?.arrayValue?.count == 1)
    #expect(try browser.search(#"{"state":"active"}"#)?["items"]?.arrayValue?.count == 0)
    let revived = try browser.send("POST", path + "/revive")
    #expect(revived.status == 200)
    #expect(revived.json?["state"]?.stringValue == "active")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
    #expect(try browser.get("why/" + wallet.clientID).json?["verdict"]?["code"]?.stringValue == "delivered")
  }

  @Test func whyNoPushTellsEachReasonApart() throws {
    let appliance = try Appliance.withAdmin()
    let browser = try AdminBrowser(signedInAt: appliance)
    func code(_ client: String) throws -> String? {
      try browser.get("why/" + client).json?["verdict"]?["code"]?.stringValue
    }
    #expect(try code("nobody") == "not_registered")
    let wallet = try appliance.registered()
    #expect(try code(wallet.clientID) == "no_push_seen")
    let forged = try appliance.client().send(
      "POST", "/clients/" + wallet.clientID, fields: [("content-type", "application/json")],
      body: Appliance.raw("1"))
    #expect(forged.status == 401)
    #expect(try code("did:key:" + wallet.clientID) == "relay_refused")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
    #expect(try code(wallet.clientID) == "delivered")
    appliance.gateway.always(.apns(.invalidProviderToken), at: .apnsProduction)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("3")).status == 424)
    #expect(try code(wallet.clientID) == "gateway_trouble")
  }

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
    while let chunk = try tail.readChunk() { rest += String(decoding: chunk, as: UTF8.self) }
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

  @Test func aBrokenFileChangesNothingAndIsShownEverywhere() throws {
    let appliance = try Appliance.withAdmin()
    let browser = try AdminBrowser(signedInAt: appliance)
    try appliance.configure { $0.replacing("[push]", with: "[push]\ndedline_ms = 1000") }
    #expect(try browser.get("configuration").json?["reload"]?["differs_on_disk"]?.boolValue == true)
    let response = try browser.send("POST", "reload")
    #expect(response.status == 422)
    let message = response.json?["errors"]?[0]?["message"]?.stringValue ?? ""
    #expect(message.contains("push.dedline_ms"), "\(message)")
    for path in ["overview", "configuration"] {
      let state = try browser.get(path).json?["reload"]
      #expect(state?["problems"]?[0]?.stringValue == message, "\(path)")
      #expect(state?["failed_at"]?.uint64Value ?? 0 > 0)
      #expect(state?["generation"]?.uint64Value == 1)
    }
    #expect(try appliance.client().send("GET", "/status").json?["reload"]?["ok"]?.boolValue == false)
    try appliance.configure { $0.replacing("[push]", with: "[push]\ndeadline_ms = 20000") }
    let good = try browser.send("POST", "reload")
    #expect(good.status == 200)
    #expect(good.json?["reload"]?["generation"]?.uint64Value == 2)
    #expect(good.json?["reload"]?["problems"]?.arrayValue == [])
    let values = try browser.get("configuration").json?["values"]?.arrayValue ?? []
    let deadline = values.first { $0["key"]?.stringValue == "push.deadline_ms" }
    #expect(deadline?["value"]?.stringValue == "20000")
    #expect(deadline?["is_default"]?.boolValue == false)
    #expect(try !browser.get("configuration").text.contains("$scrypt$"))
    #expect(try appliance.client().send("GET", "/status").json?["reload"]?["ok"]?.boolValue == true)
  }

  @Test func aBackupCanBeRestored() throws {
    let appliance = try Appliance.withAdmin()
    let token = Appliance.apnsToken()
    let wallet = try appliance.registered(token: token)
    for _ in 0..<50 { _ = try appliance.registered() }
    let browser = try AdminBrowser(signedInAt: appliance)
    let backup = try browser.get("backup")
    #expect(backup.status == 200)
    #expect(backup.field("content-disposition")?.contains(".mdb") == true)
    #expect(!backup.text.contains(token))
    let file = appliance.folder.path + "/downloaded.mdb"
    let handle = try #require(fopen(file, "w"))
    #expect(fwrite(backup.body, 1, backup.body.count, handle) == backup.body.count)
    fclose(handle)
    #expect(try browser.send("DELETE", "registrations/" + wallet.clientID).status == 200)
    #expect(appliance.end(SIGTERM) == 0)
    let restore = try appliance.command("restore", "--force", file)
    #expect(restore.status == 0, "\(restore.text)")
    try appliance.restart()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
  }

  @Test func actionsAreKept() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    let browser = AdminBrowser(appliance)
    _ = try browser.logIn("wrong")
    _ = try browser.logIn()
    _ = try browser.send("DELETE", "registrations/" + wallet.clientID)
    let items = try browser.get("actions").json?["items"]?.arrayValue ?? []
    #expect(items.compactMap { $0["action"]?.stringValue } == ["delete", "login", "login"])
    #expect(items.compactMap { $0["ok"]?.boolValue } == [true, true, false])
    #expect(items.first?["target"]?.stringValue == wallet.clientID)
    #expect(items.first?["address"]?.stringValue == "127.0.0.1")
  }

  /// Asks until it holds, for some seconds at most: what is written once a second is not there at once.
  private func waitUntil(_ holds: () throws -> Bool) throws -> Bool {
    let end = MonotonicTime.now() + .seconds(20)
    while MonotonicTime.now() < end {
      if try holds() { return true }
      usleep(50_000)
    }
    return false
  }
}

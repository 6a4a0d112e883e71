import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// What an operator finds of registrations by way of the admin API, and does to them.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct AdminRegistrationTests {
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
}

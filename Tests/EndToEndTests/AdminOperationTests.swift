import Bytes
import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Reload, backup and the log of actions by way of the admin API.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct AdminOperationTests {
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

  @Test func actionsOutliveTheProcessAndHoldNoSecrets() throws {
    let appliance = try Appliance.withAdmin()
    let token = Appliance.apnsToken()
    let wallet = try appliance.registered(token: token)
    let browser = AdminBrowser(appliance)
    _ = try browser.logIn("wrong horse battery")
    _ = try browser.logIn()
    let session = try #require(browser.cookie?.split(separator: "=").last.map(String.init))
    let path = "registrations/" + wallet.clientID
    let undo = try #require(try browser.send("DELETE", path).json?["undo"]?["id"]?.stringValue)
    #expect(try browser.send("POST", path + "/restore", #"{"undo":"\#(undo)"}"#).status == 200)
    #expect(try browser.send("POST", path + "/test-push").status == 200)
    try appliance.configure { $0.replacing("[push]", with: "[push]\ndedline_ms = 1000") }
    #expect(try browser.send("POST", "reload").status == 422)
    let before = try #require(try browser.get("actions").json?["items"]?.arrayValue)
    #expect(before.count == 6)
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.configure { $0 }
    try appliance.restart()
    let items = try AdminBrowser(signedInAt: appliance).get("actions").json?["items"]?.arrayValue ?? []
    #expect(items.first?["action"]?.stringValue == "login")
    let isSame = Array(items.dropFirst()) == before
    #expect(isSame, "\(items)")
    #expect(items[1]["detail"]?.stringValue?.contains("dedline_ms") == true)

    let stored = try TemporaryFolder.read(appliance.folder.path + "/data/deliveries/data.mdb")
    #expect(Self.occurs(wallet.clientID, in: stored), "this is the file")
    let csrfToken = try #require(browser.csrfToken)
    for secret in [token, "horse", session, csrfToken, undo] {
      #expect(!Self.occurs(secret, in: stored), "\(secret)")
    }
  }

  private static func occurs(_ text: String, in bytes: [UInt8]) -> Bool {
    bytes.firstRange(of: Array(text.utf8)) != nil
  }

  @Test func anUndoAfterARestartIsRefusedPlainly() throws {
    let appliance = try Appliance.withAdmin()
    let wallet = try appliance.registered()
    let path = "registrations/" + wallet.clientID
    let deletion = try AdminBrowser(signedInAt: appliance).send("DELETE", path)
    let undo = try #require(deletion.json?["undo"]?["id"]?.stringValue)
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.restart()
    let browser = try AdminBrowser(signedInAt: appliance)
    let late = try browser.send("POST", path + "/restore", #"{"undo":"\#(undo)"}"#)
    #expect(late.status == 409)
    #expect(late.errorName == "undo_expired")
    #expect(
      late.text.contains("cannot be undone any more") && late.text.contains("restarted"), "\(late.text)")
    #expect(try browser.get(path).status == 404)
    #expect(try browser.get("actions").json?["items"]?.arrayValue?.count == 3, "the refusal is no action")
  }
}

import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// The commands that work on the store, run as processes of their own.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct StoreCommandsTests {
  @Test func backupWhileServingAndRestore() throws {
    let appliance = try Appliance()
    let wallets = try (0..<3).map { _ in try appliance.registered() }
    let file = appliance.folder.path + "/backup"
    let backup = try appliance.command("backup", file)
    #expect(backup.status == 0 && backup.text.contains("3 registrations"), "\(backup.text)")
    #expect(mode(file) == 0o600)
    #expect(try appliance.command("backup", file).status == 1)
    // What comes after the backup is gone after the restore.
    let later = try appliance.registered()
    let served = try appliance.command("restore", file, "--force")
    #expect(served.status == 1 && served.text.contains("stop it first"), "\(served.text)")
    #expect(appliance.end(SIGTERM) == 0)
    let unforced = try appliance.command("restore", file)
    #expect(unforced.status == 1 && unforced.text.contains("--force"), "\(unforced.text)")
    let restored = try appliance.command("restore", file, "--force")
    #expect(restored.status == 0 && restored.text.contains("3 registrations"), "\(restored.text)")
    try appliance.restart()
    for wallet in wallets { #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202) }
    #expect(try appliance.push(later.clientID, Appliance.raw("1")).isSuccess)
    #expect(appliance.gateway.deliveryCount == 3)
  }

  @Test func aRestoreThatBringsNothingIsNoSuccess() throws {
    let appliance = try Appliance()
    let file = appliance.folder.path + "/backup"
    #expect(try appliance.command("backup", file).status == 0)
    #expect(appliance.end(SIGTERM) == 0)
    let empty = try appliance.command("restore", file, "--force")
    #expect(empty.status == 1 && empty.text.contains("holds no registrations"), "\(empty.text)")
    try appliance.folder.write("nonsense", String(repeating: "nonsense", count: 2000))
    let nonsense = try appliance.command("restore", appliance.folder.path + "/nonsense", "--force")
    #expect(nonsense.status == 1 && nonsense.text.contains("damaged"), "\(nonsense.text)")
    try appliance.restart()
  }

  @Test(arguments: ["jsonl", "csv"]) func exportImportExportGivesTheSameBytes(format: String) throws {
    let first = try Appliance()
    for index in 0..<20 {
      _ = try first.registered(
        type: ["apns", "apns-sandbox", "fcm"][index % 3],
        token: index == 0 ? "a,\"b\"" : Appliance.fcmToken(),
        alwaysRaw: index % 2 == 0)
    }
    first.gateway.next(1, .apns(.unregistered), at: .apnsProduction)
    let dead = try first.registered()
    _ = try first.push(dead.clientID, Appliance.raw("1"))
    let exported = first.folder.path + "/export." + format
    let export = try first.command("export", "--output", exported)
    #expect(export.status == 0 && export.text.contains("in clear"), "\(export.text)")
    #expect(mode(exported) == 0o600)
    let text = try #require(Files.text(exported))
    #expect(text.split(separator: "\n").count == (format == "csv" ? 22 : 21))
    #expect(text.contains("Unregistered"))

    let second = try Appliance()
    let dry = try second.command("import", "--dry-run", exported)
    #expect(dry.status == 0 && dry.text.contains("21 would be stored"), "\(dry.text)")
    #expect(try second.registrations() == 0)
    // Beside the running server, and again.
    let imported = try second.command("import", exported)
    #expect(imported.status == 0 && imported.text.contains("21 stored"), "\(imported.text)")
    let again = try second.command("import", exported)
    #expect(again.status == 0 && again.text.contains("0 stored, 21 were there"), "\(again.text)")
    #expect(try second.registrations() == 20)
    #expect(try second.command("export", "--format", format).text.hasPrefix(text))
    #expect(try second.command("verify").status == 0)
  }

  @Test func theRustServersTableIsImportedBeforeTheFirstStart() throws {
    let appliance = try Appliance()
    #expect(appliance.end(SIGTERM) == 0)
    let wallet = try MockWallet()
    try appliance.folder.write(
      "clients.csv",
      """
      id,push_type,device_token,created_at,tenant_id,always_raw
      did:key:\(wallet.clientID),apns,\(Appliance.apnsToken()),2023-11-14 09:12:33.123456+00,t,t
      other,apnssandbox,\(Appliance.apnsToken()),2023-11-14 09:12:33+00,t,
      noop,noop,x,2023-11-14 09:12:33+00,t,f

      """)
    try appliance.configure { $0.replacing("path = \"data\"", with: "path = \"fresh\"") }
    let imported = try appliance.command("import", appliance.folder.path + "/clients.csv")
    #expect(imported.status == 1)
    #expect(imported.text.contains("2 stored") && imported.text.contains("1 lines refused"))
    #expect(imported.text.contains("line 4 has push_type noop"), "\(imported.text)")
    try appliance.restart()
    #expect(try appliance.registrations() == 2)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
  }

  /// `client=#…` in the log leads back to the client, whose ID the log does not have.
  @Test func aNameInTheLogLeadsToTheClient() throws {
    let appliance = try Appliance()
    let wallets = try (0..<3).map { _ in try appliance.registered() }
    let id = wallets[1].clientID
    appliance.gateway.next(1, .apns(.unregistered), at: .apnsProduction)
    _ = try appliance.push(id, Appliance.raw("1"))
    #expect(appliance.waitForLog("device token given up"))
    #expect(!appliance.log.contains(id))
    let shown = try appliance.command("clients", "show", id, "--json").text
    let name = try #require(try JSON.parse(Array(shown.utf8))["pseudonym"]?.stringValue)
    #expect(appliance.log.contains(" client=\(name) "), "\(appliance.log)")
    let found = try appliance.command("clients", "show", name)
    #expect(found.status == 0)
    #expect(
      found.text.hasPrefix("client:         \(id)\nin the log:     \(name)\n"), "\(found.text)")
    let again = try JSON.parse(Array(appliance.command("clients", "show", name, "--json").text.utf8))
    #expect(again["client_id"]?.stringValue == id && again["pseudonym"]?.stringValue == name)
    let nobody = try appliance.command("clients", "show", "#0123456789abcdef")
    #expect(nobody.status == 1 && nobody.text.contains("#0123456789abcdef is not registered"))
  }

  @Test func clientsAreListedShownFoundAndDeleted() throws {
    let appliance = try Appliance()
    let token = Appliance.apnsToken()
    #expect(try appliance.register("abc1", token: token).status == 200)
    #expect(try appliance.register("abc2", type: "fcm", token: Appliance.fcmToken()).status == 200)
    #expect(try appliance.register("xyz", token: Appliance.apnsToken()).status == 200)
    #expect(try appliance.command("clients", "count").text.hasPrefix("3 registrations (2 apns"))
    #expect(try appliance.command("clients", "list", "abc").text == "abc1\tapns\tactive\nabc2\tfcm\tactive\n")
    #expect(
      try appliance.command("clients", "list", "--after", "abc2", "--limit=5").text == "xyz\tapns\tactive\n")
    let shown = try appliance.command("clients", "show", "did:key:abc1")
    #expect(shown.status == 0 && !shown.text.contains(token), "\(shown.text)")
    #expect(try appliance.command("clients", "find", "apns", token).text == "abc1\n")
    #expect(try appliance.command("clients", "find", "fcm", token).status == 1)
    #expect(try appliance.command("clients", "delete", "abc1").status == 0)
    #expect(try appliance.command("clients", "delete", "abc1").status == 1)
    #expect(try appliance.push("abc1", Appliance.raw("1")).isSuccess)
    #expect(appliance.gateway.deliveryCount == 0)
    for wrong in [
      ["clients"], ["clients", "list", "a", "b"], ["clients", "show"], ["export", "--format"],
      ["export", "--format", "xml"], ["backup"], ["backup", "a", "b"], ["verify", "--nonsense"],
    ] {
      #expect(try appliance.command(wrong).status == 2, "\(wrong)")
    }
    #expect(try appliance.command("import", "--help").text.contains("Usage: pushbox import"))
  }

  @Test func theTokenKeyIsReplaced() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let served = try appliance.command("rotate-key")
    #expect(served.status == 1 && served.text.contains("stop it first"), "\(served.text)")
    #expect(appliance.end(SIGTERM) == 0)
    let key = appliance.folder.path + "/data/token.key"
    let old = try #require(Files.text(key))
    let rotated = try appliance.command("rotate-key")
    #expect(rotated.status == 0 && rotated.text.contains("sealed 1 registrations"), "\(rotated.text)")
    #expect(Files.text(key) != old && Files.text(key + ".old") == old)
    #expect(mode(key) == 0o600)
    try appliance.restart()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(appliance.end(SIGTERM) == 0)
    // As after a crash between the commit and the renaming of the key.
    #expect(rename(key, key + ".new") == 0 && rename(key + ".old", key) == 0)
    #expect(try appliance.command("verify").status == 0)
    try appliance.restart()
    #expect(access(key + ".new", F_OK) != 0 && Files.text(key + ".old") == old)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
    #expect(appliance.end(SIGTERM) == 0)
    // As after a crash before the commit: what was made for it is not used.
    let present = try #require(Files.text(key))
    try appliance.folder.write("data/token.key.new", String(repeating: "5a", count: 32) + "\n")
    try appliance.restart()
    #expect(Files.text(key) == present)
    #expect(appliance.end(SIGTERM) == 0)
    #expect(try appliance.command("rotate-key").status == 0)
    try appliance.restart()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("3")).status == 202)
  }

  @Test func withoutTheKeyNothingIsMade() throws {
    let appliance = try Appliance()
    _ = try appliance.registered()
    #expect(appliance.end(SIGTERM) == 0)
    let key = appliance.folder.path + "/data/token.key"
    #expect(unlink(key) == 0)
    for command in [["verify"], ["export"], ["rotate-key"], ["serve"]] {
      let outcome = try appliance.command(command)
      #expect(
        outcome.status == 1 && outcome.text.contains("put your copy of the key there"), "\(outcome.text)")
      #expect(access(key, F_OK) != 0)
    }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }
}

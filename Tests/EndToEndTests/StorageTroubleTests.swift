import Glibc
import MockRelay
import TestSupport
import Testing

/// Full, read-only and foreign disks: refused in words, and all goes on once it is mended.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct StorageTroubleTests {
  private static let isRoot = geteuid() == 0
  /// Runs a program as the user nobody.
  private static let asNobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
  /// The clone or the toolchain may lie where only root may look, as in /root.
  private static let nobodyCanRunIt: Bool = {
    let arguments = asNobody + [ChildProcess.products + "/pushbox", "version"]
    return isRoot && (try? ChildProcess("/usr/bin/setpriv", arguments))?.wait() == 0
  }()

  /// Registers long tokens until one is refused: how many were taken, and the refusal.
  private func fill(_ appliance: Appliance, limit: Int) throws -> (Int, BlockingHTTPResponse?) {
    let client = appliance.client()
    for number in 0..<limit {
      let token = String(repeating: "x", count: 3900) + "\(number)"
      let response = try appliance.register("filler-\(number)", type: "fcm", token: token, over: client)
      if response.status != 200 { return (number, response) }
    }
    return (limit, nil)
  }

  private func expectRefusal(_ response: BlockingHTTPResponse?, by appliance: Appliance) throws {
    #expect(response?.status == 503, "\(response?.text ?? "none")")
    #expect(response?.json?["status"]?.stringValue == "FAILURE")
    #expect(response?.json?["errors"]?[0]?["message"]?.stringValue?.isEmpty == false)
    let ready = try appliance.client().send("GET", "/ready")
    #expect(ready.status == 503)
    #expect(ready.errorName == "store_full")
  }

  @Test func aFullMapRefusesUntilThereIsRoom() throws {
    let appliance = try Appliance { $0.store = "map_size = \"1MiB\"" }
    let wallet = try appliance.registered()
    let (count, refusal) = try fill(appliance, limit: 2000)
    #expect(count > 20)
    try expectRefusal(refusal, by: appliance)
    #expect(appliance.waitForLog("store.map_size"), "the log says what to do")
    #expect(try appliance.registrations() == count + 1)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.restart()
    #expect(appliance.waitForLog("nearly full"))
    let client = appliance.client()
    for number in 0..<count / 2 {
      #expect(try client.send("DELETE", "/clients/filler-\(number)").status == 200)
    }
    #expect(try appliance.register("again", token: Appliance.apnsToken(), over: client).status == 200)
    #expect(try appliance.command("verify").status == 0)
    // A larger map takes more, with what is there.
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.configure { $0.replacing("1MiB", with: "8MiB") }
    try appliance.restart()
    #expect(try fill(appliance, limit: count * 2).1 == nil)
  }

  @Test(.enabled(if: isRoot, "not root: the full disk is NOT tested"))
  func aFullDiskRefusesUntilThereIsRoom() throws {
    let disk = try SmallDisk(size: "3m")
    let appliance = try Appliance { $0.storePath = disk.path + "/data" }
    let wallet = try appliance.registered()
    try disk.fill(leaving: 128 << 10)
    let (count, refusal) = try fill(appliance, limit: 2000)
    try expectRefusal(refusal, by: appliance)
    #expect(appliance.waitForLog("no space left"), "the log says why")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(appliance.gateway.deliveryCount == 1)
    // A restart on the full disk serves what there is.
    #expect(appliance.end(SIGKILL) == 128 + SIGKILL)
    try appliance.restart()
    #expect(try appliance.registrations() == count + 1)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
    disk.makeRoom()
    #expect(try appliance.register("again", token: Appliance.apnsToken()).status == 200)
    #expect(try appliance.command("verify").status == 0)
    #expect(appliance.end(SIGTERM) == 0)
  }

  @Test(.enabled(if: isRoot, "not root: the read-only disk is NOT tested"))
  func aReadOnlyDiskIsNamed() throws {
    let disk = try SmallDisk(size: "3m")
    let appliance = try Appliance { $0.storePath = disk.path + "/data" }
    let wallet = try appliance.registered()
    #expect(appliance.end(SIGTERM) == 0)
    try disk.remount(readOnly: true)
    let refused = try appliance.command("serve")
    #expect(refused.status == 1)
    #expect(refused.text.contains(disk.path) && refused.text.contains("no permission"), "\(refused.text)")
    try disk.remount(readOnly: false)
    try appliance.restart()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(appliance.end(SIGTERM) == 0)
  }

  /// What one of an older version left that was killed while it wrote the key.
  @Test func halfAKeyIsNamedWhileThereIsNoStore() throws {
    let appliance = try Appliance()
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.folder.write("fresh.key", "5a5a")
    try appliance.configure {
      $0.replacing("path = \"data\"", with: "path = \"fresh\"\ntoken_key_file = \"fresh.key\"")
    }
    let refused = try appliance.command("serve")
    #expect(
      refused.status == 1 && refused.text.contains("delete it, since there is no store yet"),
      "\(refused.text)")
    unlink(appliance.folder.path + "/fresh.key")
    try appliance.restart()
    _ = try appliance.registered()
  }

  /// The key file may lie elsewhere, and a new one would open nothing of what is there.
  @Test func aStoreThatCannotBeLookedAtGetsNoNewKey() throws {
    let appliance = try Appliance()
    #expect(appliance.end(SIGTERM) == 0)
    let folder = appliance.folder.path
    mkdir(folder + "/fresh", 0o700)
    // In place of a folder without permission, which root would read all the same.
    try appliance.folder.write("fresh/registrations", "")
    try appliance.configure {
      $0.replacing("path = \"data\"", with: "path = \"fresh\"\ntoken_key_file = \"fresh.key\"")
    }
    let refused = try appliance.command("serve")
    #expect(refused.status == 1 && refused.text.contains("fresh.key"), "\(refused.text)")
    #expect(access(folder + "/fresh.key", F_OK) != 0)
    unlink(folder + "/fresh/registrations")
    try appliance.restart()
    _ = try appliance.registered()
  }

  /// What a first start leaves that was killed while it wrote the key.
  @Test func halfAKeyDoesNotKeepTheNextStartFromMakingOne() throws {
    let appliance = try Appliance()
    #expect(appliance.end(SIGKILL) == 128 + SIGKILL)
    let data = appliance.folder.path + "/data"
    for folder in ["registrations", "deliveries"] {
      for file in ["data.mdb", "lock.mdb"] { unlink("\(data)/\(folder)/\(file)") }
    }
    unlink(data + "/token.key")
    // Of the version before, which had a name for it.
    try appliance.folder.write("data/token.key.draft", "12")
    try appliance.restart()
    #expect(Files.text(data + "/token.key")?.utf8.count == 65)
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
  }

  @Test(
    .enabled(if: nobodyCanRunIt, "not root, or nobody cannot run pushbox: the foreign owner is NOT tested"))
  func anotherOwnerIsNamed() throws {
    let appliance = try Appliance()
    #expect(appliance.end(SIGTERM) == 0)
    let folder = appliance.folder.path
    chmod(folder, 0o755)
    for name in ["config.toml", "apns.p8", "ca.pem", "service-account.json"] {
      chmod(folder + "/" + name, 0o644)
    }
    func serveAsNobody() throws -> (status: Int32, text: String) {
      let process = try ChildProcess(
        "/usr/bin/setpriv",
        Self.asNobody + [ChildProcess.products + "/pushbox", "serve", "--config", folder + "/config.toml"])
      _ = process.waitForOutput("\u{0}")
      return (process.wait(), process.text)
    }
    let noKey = try serveAsNobody()
    #expect(noKey.status == 1 && noKey.text.contains("token.key cannot be read"), "\(noKey.text)")
    chmod(folder + "/data", 0o755)
    chmod(folder + "/data/token.key", 0o644)
    let noStore = try serveAsNobody()
    #expect(noStore.status == 1 && noStore.text.contains("must belong to the user"), "\(noStore.text)")
    try appliance.restart()
  }
}

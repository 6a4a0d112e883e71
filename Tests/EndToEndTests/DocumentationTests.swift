import Bytes
import Crypto
import EventLoop
import Glibc
import MockRelay
import TestSupport
import Testing

/// Every command of the documentation is run: fenced `sh` blocks, page by page and in their order, against a
/// server before mock gateways.
///
/// A block may have a line before it that says where it runs instead: `<!-- run: machine -->` on a machine of its
/// own, by scripts/test-package.sh, or `<!-- run: elsewhere: REASON -->`.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct DocumentationTests {
  static let pages = ["admin", "api", "apps", "backup", "install", "migration", "runbook", "upgrade"]

  private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  private struct Block {
    var line: Int
    var text: String
    /// What the line before it says; nil: it runs here.
    var mark: String?
  }

  private func blocks(_ page: String) throws -> [Block] {
    var blocks: [Block] = []
    var mark: String?
    var open: Block?
    let text = try #require(Files.text(Self.root + "/docs/\(page).md"))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let indent = line.prefix { $0 == " " }.count
      let text = line.dropFirst(indent)
      if let block = open {
        if text == "```" {
          blocks.append(block)
          open = nil
          mark = nil
        } else {
          open?.text += line.dropFirst(min(indent, 3)) + "\n"
        }
      } else if text == "```sh" {
        open = Block(line: index + 1, text: "", mark: mark)
      } else if text.hasPrefix("<!-- run: "), text.hasSuffix(" -->") {
        mark = String(text.dropFirst("<!-- run: ".count).dropLast(" -->".count))
      } else if !text.isEmpty {
        mark = nil
      }
    }
    return blocks
  }

  /// What stands for the reader's own machine.
  private func substituted(_ text: String, _ appliance: Appliance) -> String {
    let folder = appliance.folder.path
    return [
      ("https://push.example.com", "http://127.0.0.1:\(appliance.port)"),
      ("runuser -u pushbox -- ", ""), ("-o pushbox ", ""), ("-g pushbox ", ""),
      ("PORT=8080", "PORT=\(appliance.port)"), ("/backups/", folder + "/backups/"),
      ("/safe/", folder + "/safe/"),
      ("/var/lib/pushbox/", folder + "/data/"),
    ].reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  /// Programs that the pages use: pushbox with the configuration of this test, and systemctl.
  private func prepare(_ appliance: Appliance) throws -> String {
    let folder = appliance.folder.path
    for name in ["bin", "backups", "safe"] { mkdir("\(folder)/\(name)", 0o700) }
    try appliance.folder.write(
      "bin/pushbox",
      """
      #!/bin/sh
      case $1 in
      version | help) exec \(ChildProcess.products)/pushbox "$@" ;;
      esac
      exec \(ChildProcess.products)/pushbox "$@" --config \(folder)/config.toml

      """)
    // Reloading is the command that the unit names; start and stop are this test's to do: it leaves word and waits.
    try appliance.folder.write(
      "bin/systemctl",
      """
      #!/bin/sh
      [ "$1" != reload ] || exec pushbox reload
      echo "systemctl $1"
      # Not longer than the script that called it.
      while [ ! -e \(folder)/did-$1 ]; do kill -0 $PPID && sleep 0.05 || exit 1; done
      rm \(folder)/did-$1

      """)
    for name in ["pushbox", "systemctl"] { chmod("\(folder)/bin/\(name)", 0o700) }
    try appliance.folder.write("clients.csv", Self.dump)
    try makeRelayKey(appliance)
    return "PATH=\(folder)/bin:/usr/bin:/bin"
  }

  /// A table of the Rust server.
  private static let dump = """
    id,tenant_id,push_type,device_token,created_at,always_raw
    z6MkodHZwneVRShtaLf8JKYkxpDGp1vGZnpGmdBpX8M2exxH,1,fcm,\(Appliance.fcmToken()),2025-01-01 00:00:00+00,t

    """

  /// A relay's key that a command can sign with, and whose public half the server knows.
  private func makeRelayKey(_ appliance: Appliance) throws {
    let seed = try Random.bytes(Ed25519PrivateKey.seedByteCount)
    let relay = try MockRelay(key: Ed25519PrivateKey(seed: seed))
    // PKCS #8 around the seed (RFC 8410, section 7).
    let prefix: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20]
    try appliance.folder.write(
      "relay.pem",
      "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(prefix + seed))\n-----END PRIVATE KEY-----\n")
    let port = appliance.port
    try appliance.configure {
      $0.replacing("127.0.0.1:0", with: "127.0.0.1:\(port)")
        .replacing(appliance.relay.publicKeyHex, with: relay.publicKeyHex)
    }
    #expect(appliance.reload(1))
  }

  @Test(arguments: pages) func everyCommandRuns(_ page: String) throws {
    let appliance = try Appliance()
    let path = try prepare(appliance)
    // While the server is down.
    let held = try HeldPort(appliance.port)
    defer { withExtendedLifetime(held) {} }
    let client = "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
    _ = try appliance.register(client, token: Appliance.apnsToken())
    let blocks = try blocks(page)
    for block in blocks where block.mark == nil {
      let script = substituted(block.text, appliance)
      let process = try ChildProcess(
        "/bin/sh", ["-e", "-u", "-c", "cd \(appliance.folder.path)\n" + script + "\necho all-done\n"],
        environment: [path, "HOME=\(appliance.folder.path)"])
      for word in script.split(whereSeparator: { $0 == "\n" })
      where word.hasPrefix("systemctl ") && !word.hasPrefix("systemctl reload") {
        try serve(word.split(separator: " ")[1], appliance, process)
      }
      let isDone = process.waitForOutput("all-done\n")
      #expect(process.wait() == 0 && isDone, "docs/\(page).md:\(block.line):\n\(script)\n\(process.text)")
    }
  }

  /// Does what the script has asked `systemctl` for.
  private func serve(_ verb: Substring, _ appliance: Appliance, _ process: ChildProcess) throws {
    try #require(process.waitForOutput("systemctl \(verb)\n"), "\(process.text)")
    if verb == "stop" {
      #expect(appliance.end(SIGTERM) == 0)
    } else {
      try appliance.restart()
    }
    try appliance.folder.write("did-\(verb)", "")
  }

  @Test(arguments: pages) func everyMarkIsKnown(_ page: String) throws {
    for block in try blocks(page) {
      guard let mark = block.mark else { continue }
      let isKnown = mark == "machine" || mark.hasPrefix("elsewhere: ") && mark.count > 20
      #expect(isKnown, "docs/\(page).md:\(block.line): \(mark)")
    }
  }
}

import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

@testable import pushbox

@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct CommandLineTests {
  private func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
    let process = try ChildProcess("pushbox", arguments)
    _ = process.waitForOutput("\u{0}")
    return (process.wait(), process.text)
  }

  @Test func helpListsEveryCommandAndEachHasItsOwn() throws {
    let help = try run(["help"])
    #expect(help.status == 0)
    for name in Command.all.map(\.name) {
      #expect(help.text.contains("\n  \(name) "), "\(name)")
      for arguments in [["help", name], [name, "--help"]] {
        let own = try run(arguments)
        #expect(own.status == 0)
        #expect(own.text.hasPrefix("Usage: pushbox \(name)"), "\(own.text)")
        // As wide as a terminal.
        #expect(own.text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(own.text)")
      }
    }
    #expect(try run([]).status == 2)
  }

  @Test func whatIsUnknownGetsTheNearest() throws {
    let command = try run(["sevre"])
    #expect(command.status == 2)
    #expect(command.text.contains("there is no command 'sevre'; did you mean serve?"), "\(command.text)")
    let option = try run(["check", "--onlin"])
    #expect(option.status == 2)
    #expect(option.text.contains("there is no option --onlin; did you mean --online?"), "\(option.text)")
    let word = try run(["clients", "lst"])
    #expect(word.status == 2)
    #expect(word.text.contains("did you mean list?"), "\(word.text)")
    #expect(try run(["help", "nonsense-of-some-length"]).text.contains("did you mean") == false)
  }

  @Test func nothingIsColouredInAPipe() throws {
    let folder = try TemporaryFolder()
    try folder.write("config.toml", "")
    let check = try run(["check", "--config", folder.path + "/config.toml"])
    #expect(check.text.contains("error"))
    #expect(!check.text.contains("\u{1B}"))
  }

  @Test func scriptsGetJSON() throws {
    let appliance = try Appliance()
    _ = try appliance.registered()
    let folder = appliance.folder.path
    func json(_ arguments: String...) throws -> JSONValue {
      let (status, text) = try appliance.command(arguments + ["--json"])
      #expect(status == 0, "\(arguments): \(text)")
      return try JSON.parse(Array(text.utf8))
    }
    #expect(try json("verify")["total_active"]?.uint64Value == 1)
    #expect(try json("backup", folder + "/backup")["active"]?["apns"]?.uint64Value == 1)
    #expect(try appliance.command("export", "--output", folder + "/export.csv").status == 0)
    let imported = try json("import", folder + "/export.csv")
    #expect(imported["stored"]?.uint64Value == 0 && imported["kept"]?.uint64Value == 1)
    let shown = try json("config", "show")
    #expect(shown["file"]?.stringValue == appliance.settings.path)
    let values = try #require(shown["values"]?.arrayValue)
    func value(_ key: String) -> JSONValue? { values.first { $0["key"]?.stringValue == key }?["value"] }
    #expect(value("server.workers")?.uint64Value == 2)
    #expect(value("server.listen")?[0]?.stringValue == "127.0.0.1:0")
    #expect(value("relay.validate_signatures")?.boolValue == true)
    #expect(value("log.level")?.stringValue == "debug")
  }

  @Test func healthAsksTheServerOfTheConfiguration() throws {
    let appliance = try Appliance()
    // The port that the kernel chose, for the command to find.
    try appliance.configure { $0.replacing("127.0.0.1:0", with: "127.0.0.1:\(appliance.port)") }
    let health = try appliance.command("health")
    #expect(health.status == 0, "\(health.text)")
    #expect(health.text.hasPrefix("OK v"))
    let ready = try appliance.command("health", "--ready", "--json")
    #expect(ready.status == 0)
    #expect(try JSON.parse(Array(ready.text.utf8))["ready"]?.boolValue == true)
    #expect(appliance.end(SIGTERM) == 0)
    let gone = try appliance.command("health")
    #expect(gone.status == 1)
    #expect(gone.text.contains("not well: nothing answers at 127.0.0.1:"), "\(gone.text)")
  }

  @Test func aClientIsShownWithItsPushesAndRevived() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    appliance.gateway.always(.apns(.unregistered), at: .apnsProduction)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("2")).status == 202)
    // Push counts are written about once a second, at the latest when it stops.
    #expect(appliance.end(SIGTERM) == 0)
    let shown = try appliance.command("clients", "show", wallet.clientID)
    #expect(shown.status == 0)
    #expect(shown.text.contains("pushes:         1 delivered, 1 not"), "\(shown.text)")
    #expect(shown.text.contains("token dead:     20"), "\(shown.text)")
    let json = try JSON.parse(
      Array(try appliance.command("clients", "show", wallet.clientID, "--json").text.utf8))
    #expect(json["pushes"]?["delivered"]?.uint64Value == 1)
    #expect(json["pushes"]?["last_outcome"]?.stringValue == "dead token")
    #expect(json["dead"]?["reason"]?.stringValue == "Unregistered")

    let revived = try appliance.command("clients", "revive", "did:key:" + wallet.clientID)
    #expect(revived.status == 0)
    #expect(revived.text.contains("revived"))
    let count = try JSON.parse(Array(try appliance.command("clients", "count", "--json").text.utf8))
    #expect(count["total_active"]?.uint64Value == 1 && count["total_dead"]?.uint64Value == 0)
    #expect(try appliance.command("clients", "revive", "nobody").status == 1)

    try appliance.restart()
    appliance.gateway.always(.serve, at: .apnsProduction)
    #expect(try appliance.push(wallet.clientID, Appliance.raw("3")).status == 202)
    #expect(appliance.gateway.deliveryCount == 2)
  }
}

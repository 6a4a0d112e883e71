import EventLoop
import Glibc
import TestSupport

/// An operator's commands beside the server: exports that are read slowly or never, and commands that are killed.
struct CommandLane: Lane {
  let server: ChaosServer
  let log: LaneLog

  enum Kind: String, CaseIterable {
    case slowExport = "slow export", killedExport = "killed export", killedBackup = "killed backup",
      backup, verify, count, list
  }

  func disturb(_ kind: Kind, _ random: inout Randomness) throws -> String {
    let backup = server.folder.path + "/backup-\(UInt32.random(in: 0...UInt32.max, using: &random))"
    let time = random.milliseconds(0...2500)
    switch kind {
    case .slowExport:
      let export = try server.command(["export"])
      export.holdOutput()
      pause(time)
      export.readOutput()
      end(export, kind)
    case .killedExport:
      let export = try server.command(["export"])
      export.holdOutput()
      pause(time)
      export.kill(SIGKILL)
      end(export, kind)
    case .killedBackup:
      let command = try server.command(["backup", backup])
      pause(.milliseconds(Int(time.wholeMilliseconds) / 25))
      command.kill(SIGKILL)
      end(command, kind)
    case .backup: end(try server.command(["backup", backup]), kind)
    case .verify, .count, .list: end(try server.command([kind.rawValue]), kind)
    }
    unlink(backup)
    pause(random.milliseconds(100...800))
    return "command: \(kind.rawValue)"
  }

  func settle() {}

  /// What a command says is not judged here, since the disk may be full; that it ends is.
  private func end(_ command: ChildProcess, _ kind: Kind) {
    if command.wait(upTo: .seconds(30)) == nil {
      log.note(problem: "the command for \(kind.rawValue) did not end in 30 s: \(command.text.prefix(2000))")
    }
  }
}

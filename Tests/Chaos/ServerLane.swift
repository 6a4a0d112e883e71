import Bytes
import EventLoop
import Glibc
import TestSupport

/// Trouble around the process: a log that nobody reads, a full disk, kills, restarts, reloads.
struct ServerLane: Lane {
  let server: ChaosServer
  let log: LaneLog

  enum Kind: CaseIterable {
    case stuckLog, fullDisk, kill, restart, restartWithStuckLog, reload
  }

  func disturb(_ kind: Kind, _ random: inout Randomness) throws -> String {
    let time = random.milliseconds(300...2500)
    switch kind {
    case .stuckLog:
      let process = server.process
      process.holdOutput()
      pause(time)
      process.readOutput()
    case .fullDisk:
      guard let disk = server.disk else { return "server: no disk to fill" }
      try disk.fill(leaving: 0)
      pause(time)
      disk.makeRoom()
    case .kill: try restart(SIGKILL)
    case .restart: try restart(SIGTERM)
    case .restartWithStuckLog:
      server.process.holdOutput()
      pause(time)
      try restart(SIGTERM)
    case .reload: server.process.kill(SIGHUP)
    }
    try server.keepAlive()
    pause(random.milliseconds(300...2000))
    try server.keepAlive()
    return "server: \(kind)"
  }

  func settle() throws {
    server.process.readOutput()
    server.disk?.makeRoom()
    try server.keepAlive()
  }

  private func restart(_ signal: Int32) throws {
    if let problem = try server.restart(signal) { log.note(problem: problem) }
  }
}

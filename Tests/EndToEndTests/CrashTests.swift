import Chaos
import EventLoop
import Glibc
import TestSupport
import Testing

/// The real server under load, killed at random moments. `make crash` does it 300 times.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(30))) struct CrashTests {
  private static let rounds =
    ProcessEnvironment.all()["PUSHBOX_CRASH_ROUNDS"].flatMap { Int($0) } ?? 20

  @Test func whatWasAnsweredSurvivesEveryKill() throws {
    let appliance = try Appliance { $0.more = "[log]\nlevel = \"info\"" }
    let load = WalletLoad(threads: 16)
    for round in 0..<Self.rounds {
      try load.run(port: appliance.port) {
        // Not to wait for anything: the moment is to be a random one.
        usleep(.random(in: 1000...120_000))
        #expect(appliance.end(SIGKILL) == 128 + SIGKILL)
      }
      try appliance.restart()
      let export = try appliance.command("export")
      #expect(export.status == 0, "round \(round): \(export.text)")
      let contradiction = try load.contradiction(export.text)
      #expect(contradiction == nil, "round \(round)")
      let verify = try appliance.command("verify")
      #expect(verify.status == 0, "round \(round): \(verify.text)")
    }
    #expect(load.unexpected == [])
    #expect(load.acknowledged > Self.rounds)
    print("\(Self.rounds) kills, \(load.acknowledged) answers: nothing lost, nothing half done")
  }

  /// LMDB takes no more transactions once its header could not be written; nothing but a new start mends that.
  @Test(.enabled(if: PreloadShim.isAvailable, "no C compiler: faults of the disk are NOT tested"))
  func aFailedHeaderEndsTheProcessToBeStartedAnew() throws {
    let shim = try FaultShim()
    let appliance = try Appliance(environment: shim.environment) { $0.more = "[log]\nlevel = \"info\"" }
    let load = WalletLoad(threads: 4)
    var status: Int32?
    try load.run(port: appliance.port) {
      while load.acknowledged < 20 { usleep(1000) }
      shim.set(.failingHeader, oneIn: 1)
      status = appliance.waitForEnd()
    }
    #expect(status == 1)
    #expect(appliance.log.contains("for the service manager to start pushbox anew"))
    shim.set(.none, oneIn: 1)
    try appliance.restart()
    let export = try appliance.command("export")
    #expect(try load.contradiction(export.text) == nil)
    #expect(try appliance.command("verify").status == 0)
    #expect(load.unexpected == [])
  }

  /// Refused at once and in words for as long as it lasts; pushes go on, and so do registrations afterwards.
  @Test(
    .enabled(if: PreloadShim.isAvailable, "no C compiler: faults of the disk are NOT tested"),
    arguments: [
      (FaultShim.Fault.readOnlyDisk, "not read-only"), (.failingSync, "Input/output error"),
      (.fullDisk, "no space left"),
    ])
  func aDiskThatFailsWhileServingIsAnswered(fault: FaultShim.Fault, words: String) throws {
    let shim = try FaultShim()
    let appliance = try Appliance(environment: shim.environment)
    let wallet = try appliance.registered()
    shim.set(fault, oneIn: 1)
    for attempt in 0..<3 {
      let refused = try appliance.register("refused-\(attempt)", token: Appliance.apnsToken())
      #expect(refused.status == 503, "\(refused.text)")
      #expect(try appliance.push(wallet.clientID, Appliance.raw("\(attempt)")).status == 202)
    }
    #expect(appliance.waitForLog(words))
    shim.set(.none, oneIn: 1)
    let later = try appliance.registered()
    #expect(try appliance.push(later.clientID, Appliance.raw("later")).status == 202)
    #expect(appliance.end(SIGKILL) == 128 + SIGKILL)
    try appliance.restart()
    #expect(try appliance.registrations() == 2)
    #expect(try appliance.command("verify").status == 0)
  }

  @Test(.enabled(if: PreloadShim.isAvailable, "no C compiler: faults of the disk are NOT tested"))
  func whatWasAnsweredSurvivesAFailingDisk() throws {
    let shim = try FaultShim()
    let appliance = try Appliance(environment: shim.environment) { $0.more = "[log]\nlevel = \"info\"" }
    let load = WalletLoad(threads: 16)
    var survived = 0
    for round in 0..<max(2 * FaultShim.Fault.allCases.count, Self.rounds / 10) {
      let fault = FaultShim.Fault.allCases[round % FaultShim.Fault.allCases.count]
      try load.run(port: appliance.port) {
        let before = load.acknowledged
        while load.acknowledged < before + 20 { usleep(1000) }
        shim.set(fault, oneIn: 8)
        if fault != .none { #expect(shim.waitForFault(), "round \(round), \(fault)") }
        usleep(.random(in: 20_000...150_000))
        shim.set(.none, oneIn: 1)
        // Service goes on, unless LMDB gave up for good: then the process ends by itself.
        let failed = load.acknowledged
        var waited = 0
        while load.acknowledged <= failed, waited < 2000 {
          usleep(1000)
          waited += 1
        }
        let goesOn = load.acknowledged > failed
        survived += goesOn ? 1 : 0
        let status = appliance.end(SIGKILL)
        let gaveUp = status == 1 && appliance.log.contains("must be started anew")
        #expect(goesOn ? status == 128 + SIGKILL || gaveUp : gaveUp, "round \(round): \(appliance.log)")
      }
      try appliance.restart()
      let export = try appliance.command("export")
      let contradiction = try load.contradiction(export.text)
      #expect(contradiction == nil, "round \(round), \(fault)")
      #expect(try appliance.command("verify").status == 0, "round \(round), \(fault)")
    }
    #expect(load.unexpected == [])
    #expect(load.refused > 0)
    print("\(shim.injected) faults, \(load.refused) refusals, \(survived) rounds went on without a restart")
  }
}

import Bytes
import EventLoop
import Glibc
import MockRelay
import TestSupport

/// One appliance under pushes and registrations while everything around it goes wrong at random: the gateways, one
/// of their addresses, the log's reader, the disk, the operator's commands, and the process itself.
///
/// It is good when every registration that was acknowledged is there in the end, every push was delivered or
/// answered 5xx, and nothing hung longer than 30 s.
public final class ChaosRun {
  /// What no answer may take longer than, with room for a machine that does much else.
  private static let limit = Duration.seconds(31)
  private static let pushThreads = 6
  private static let walletThreads = 4
  /// More than a pipe holds, as an export.
  private static let idleWallets = 600
  private static let wallets = 40

  public let seed: UInt64
  private let server: ChaosServer
  private let log = LaneLog()
  private let load = WalletLoad(threads: walletThreads)
  private var tokens: [String: String] = [:]

  public init(seed: UInt64 = .random(in: 0...UInt64.max)) throws {
    self.seed = seed
    server = try ChaosServer()
  }

  /// What this machine cannot do, and therefore is not tried; nil when all is.
  public var missing: String? {
    server.disk == nil
      ? "no file system can be mounted here: a full disk and a sick address are NOT tried" : nil
  }

  /// Runs for so long; the faults that were found.
  ///
  /// - Parameter report: gets the lines of the report.
  public func run(_ time: Duration, report: (String) -> Void) throws -> [String] {
    let clients = try registerWallets()
    let pushes = PushLoad(server, clients: clients)
    let end = MonotonicTime.now() + time
    let isBroken = Locked(false)
    let pace: @Sendable (Duration) -> Bool = { time in
      pause(time)
      return .now() < end && !isBroken.withLock { $0 }
    }
    let lanes: [any Lane] = try self.lanes()
    var threads = try pushes.run(threads: Self.pushThreads) { pace(.milliseconds(15)) }
    threads += try load.run(port: { [server] in server.port }, pace: { pace(.milliseconds(5)) })
    for (number, lane) in lanes.enumerated() {
      threads.append(
        try SystemThread(name: "chaos-\(number)") { [log, seed] in
          var random = Randomness(seed: seed, part: UInt64(number))
          do {
            try lane.run(&random, log) { pace(.zero) }
          } catch {
            log.note(problem: "lane \(number): \(error)")
            isBroken.withLock { $0 = true }
          }
        })
    }
    for thread in threads { thread.join() }
    for lane in lanes { try lane.settle() }
    let late = pushes.pushToAll("late")
    let answers = pushes.outcome
    tell(answers, report)
    var faults = log.problems + server.ends + judge(answers, late: late)
    faults += try judgeStore()
    return faults
  }

  private func lanes() throws -> [any Lane] {
    var lanes: [any Lane] = [
      GatewayLane(gateway: server.gateway), ServerLane(server: server, log: log),
      CommandLane(server: server, log: log),
    ]
    if server.hasTwoAddresses { lanes.append(try AddressLane(gateway: server.gateway)) }
    return lanes
  }

  /// The client IDs to push to.
  private func registerWallets() throws -> [String] {
    let client = BlockingHTTPClient(port: server.port)
    for index in 0..<(Self.wallets + Self.idleWallets) {
      let isAPNs = index < Self.wallets && index % 2 == 0
      let id = "wallet-\(index)"
      let digits = String(index, radix: 16)
      let token =
        isAPNs
        ? String(repeating: "0", count: 64 - digits.count) + digits
        : "fcm-\(index)-" + String(repeating: "x", count: 300)
      let response = try client.send(
        "POST", "/clients", fields: [("content-type", "application/json")],
        body: MockWallet.body(clientID: id, type: isAPNs ? "apns" : "fcm", token: token, alwaysRaw: true))
      guard response.status == 200 else { throw TestSupportError("registration: \(response.text)") }
      tokens[id] = token
    }
    return (0..<Self.wallets).map { "wallet-\($0)" }
  }

  private func tell(_ answers: PushLoad.Result, _ report: (String) -> Void) {
    for (disturbance, count) in log.counts.sorted(by: { $0.key < $1.key }) {
      report("\(count) x \(disturbance)")
    }
    let statuses = answers.statuses.sorted { $0.key < $1.key }.map { "\($0.value) x \($0.key)" }
    report("answers to pushes: \(statuses.joined(separator: ", ")); given up: \(answers.refused)")
    report("registrations and deletions: \(load.acknowledged) acknowledged, \(load.refused) refused")
    report(
      "longest wait: push \(answers.longest.wholeMilliseconds) ms, registration "
        + "\(load.longest.wholeMilliseconds) ms")
  }

  private func judge(_ answers: PushLoad.Result, late: [String]) -> [String] {
    var faults: [String] = []
    var delivered: Set<String> = []
    for delivery in server.gateway.deliveries {
      let message = delivery.payload["message"]
      if let text = message?.stringValue ?? message?["data"]?["message"]?.stringValue {
        delivered.insert(text)
      }
    }
    let lost = answers.acknowledged.filter { !delivered.contains($0) }
    if !lost.isEmpty { faults.append("\(lost.count) pushes acknowledged and lost: \(lost.prefix(5))") }
    if !answers.wrong.isEmpty {
      faults.append("\(answers.wrong.count) pushes not delivered and not 5xx: \(answers.wrong.prefix(5))")
    }
    if !late.isEmpty { faults.append("not delivered when all was well again: \(late)") }
    if answers.acknowledged.isEmpty { faults.append("no push was delivered") }
    if load.acknowledged == 0 { faults.append("no registration was acknowledged") }
    if !load.unexpected.isEmpty {
      faults.append("registrations not 200 or 503: \(load.unexpected.prefix(5))")
    }
    for (what, longest) in [("push", answers.longest), ("registration", load.longest)]
    where longest > Self.limit {
      faults.append("a \(what) hung for \(longest.wholeMilliseconds) ms")
    }
    return faults
  }

  /// After the last stop: what the store has against what was acknowledged.
  private func judgeStore() throws -> [String] {
    server.process.kill(SIGTERM)
    guard server.process.wait(upTo: .seconds(30)) == 0 else {
      return ["the last SIGTERM did not end it in order: \(server.process.text.suffix(2000))"]
    }
    var faults: [String] = []
    let verify = try server.command(["verify"])
    if verify.wait(upTo: .seconds(30)) != 0 { faults.append("verify: \(verify.text)") }
    let export = try server.command(["export"])
    _ = export.waitForOutput("\u{0}")
    guard export.wait() == 0 else { return faults + ["export: \(export.text.suffix(2000))"] }
    var stored = try WalletLoad.tokens(inExport: export.text)
    let lost = tokens.filter { stored[$0.key] != $0.value }.keys.sorted()
    if !lost.isEmpty { faults.append("registrations lost: \(lost.prefix(10)) of \(lost.count)") }
    for id in tokens.keys { stored[id] = nil }
    if let contradiction = load.contradiction(stored) { faults.append(contradiction) }
    return faults
  }
}

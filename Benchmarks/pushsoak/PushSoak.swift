import Bytes
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport

/// `pushsoak [SECONDS [PUSHES_PER_SECOND]]`: a pushbox process under steady load while its gateway drops a
/// connection each second, sends GOAWAY each three seconds and fails one push in a hundred. Ends with 1 when
/// a push is lost, late or doubled without reason, or when memory or descriptors grow.
@main struct Soak {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let seconds = arguments.first.flatMap { Int($0) } ?? 30
    let rate = arguments.dropFirst().first.flatMap { Int($0) } ?? 2000
    do {
      let run = try SoakRun(rate: rate)
      exit(try run.run(rounds: max(3, seconds / SoakRun.roundSeconds)) ? 0 : 1)
    } catch {
      print("soak: \(error)")
      exit(2)
    }
  }
}

/// One appliance and the rounds that are run against it.
final class SoakRun {
  static let roundSeconds = 5
  private static let deadline = Duration.seconds(10)
  private static let threads = 64
  private static let wallets = 200

  private let rate: Int
  private let gateway: MockGateway
  private let relay: MockRelay
  private let folder: TemporaryFolder
  private let process: ChildProcess
  private let port: UInt16
  private var clients: [String] = []

  init(rate: Int) throws {
    self.rate = rate
    gateway = try MockGateway.start()
    gateway.setRecording(.full(limit: 10 * rate * Self.roundSeconds))
    relay = try MockRelay()
    folder = try TemporaryFolder()
    var settings = MockConfiguration(
      folder: folder.path, gateway: gateway, relayPublicKey: relay.publicKeyHex)
    settings.push = "deadline_ms = \(Self.deadline.wholeMilliseconds)"
    settings.more = "[log]\nlevel = \"info\""
    try settings.write()
    process = try ChildProcess("pushbox", ["serve", "--config", settings.path])
    guard process.waitForOutput(" serves ") else {
      throw TestSupportError("pushbox did not start: \(process.text)")
    }
    port = Self.port(in: process.text)
    let client = BlockingHTTPClient(port: port)
    for index in 0..<Self.wallets {
      let wallet = try MockWallet()
      let response = try client.send(
        "POST", "/clients", fields: [("content-type", "application/json")],
        body: MockWallet.body(
          clientID: wallet.clientID, type: "apns", token: Self.token(index), alwaysRaw: true))
      guard response.status == 200 else { throw TestSupportError("registration: \(response.text)") }
      clients.append(wallet.clientID)
    }
  }

  deinit { gateway.stop() }

  func run(rounds: Int) throws -> Bool {
    print("round  pushes  not 202  longest ms  lost  doubled  without reason  memory MB  descriptors")
    var isGood = true
    var settled: Footprint?
    for number in 1...rounds {
      let round = try Round(self.rate, gateway, number).run(
        clients: clients, relay: relay, port: port, threads: Self.threads)
      let footprint = try Footprint(of: process.processID)
      print(
        "\(number)  \(round.pushes)  \(round.failures)  \(round.longest.wholeMilliseconds)  \(round.lost)  "
          + "\(round.doubled)  \(round.unexplained)  \(footprint.megabytes)  \(footprint.descriptors)")
      // Each line at once, also into a file.
      fflush(nil)
      isGood =
        isGood && round.failures == 0 && round.lost == 0 && round.unexplained == 0
        && round.longest < Self.deadline + .seconds(1)
      if number == 2 { settled = footprint }
      if let settled, number == rounds { isGood = isGood && footprint.isFlat(since: settled) }
    }
    if !isGood { print(process.text.suffix(4000)) }
    print(isGood ? "soak: good" : "soak: NOT good")
    return isGood
  }

  private static func token(_ index: Int) -> String {
    let digits = String(index, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  private static func port(in text: String) -> UInt16 {
    guard let start = text.firstRange(of: "127.0.0.1:")?.upperBound else { return 0 }
    return UInt16(text[start...].prefix { $0.isNumber }) ?? 0
  }
}

/// What a process holds.
struct Footprint {
  /// Its own memory: without the pages of the store's files, which are the kernel's to take back.
  let megabytes: Int
  let descriptors: Int

  init(of process: Int32) throws {
    guard let status = fopen("/proc/\(process)/statm", "r") else {
      throw TestSupportError("pushbox has ended")
    }
    defer { fclose(status) }
    var buffer = [CChar](repeating: 0, count: 256)
    guard fgets(&buffer, 256, status) != nil else { throw TestSupportError("statm cannot be read") }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // proc(5): the size, what of it is resident, and what of that is mapped files.
    let pages = text.split(separator: 0x20).prefix(3).map { Int(ASCIIDecimal.parse($0) ?? 0) }
    guard pages.count == 3 else { throw TestSupportError("statm cannot be read") }
    megabytes = ((pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))) >> 20
    var count = 0
    guard let folder = opendir("/proc/\(process)/fd") else { throw TestSupportError("fd cannot be read") }
    defer { closedir(folder) }
    while readdir(folder) != nil { count += 1 }
    descriptors = count
  }

  /// Within what caches and connections under way account for.
  func isFlat(since earlier: Footprint) -> Bool {
    megabytes <= earlier.megabytes + earlier.megabytes / 4 + 8 && descriptors <= earlier.descriptors + 16
  }
}

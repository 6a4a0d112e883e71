import Bytes
import Crypto
import EventLoop
import Glibc
import MockRelay

/// A load driver: plays the relay against a push server as fast as it can, or for comparison serves as one
/// that does nothing.
@main
enum PushLoad {
  static func main() {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      Console.printError(Options.usage)
      exit(2)
    }
    do {
      switch options.mode {
      case .nullServer:
        SignalSource.block([SIGTERM, SIGINT])
        try NullServer.run(port: options.target.port)
      case .load:
        exit(try load(options) ? 0 : 1)
      }
    } catch {
      Console.printError("pushload: \(error)")
      exit(1)
    }
  }

  /// False when a request was not answered as it should be.
  private static func load(_ options: Options) throws -> Bool {
    let host = "\(options.target.host):\(options.target.port)"
    let relay = try options.seedFile.map { try MockRelay(key: Ed25519PrivateKey(seed: seed(in: $0))) }
    var clients: [Workload.Client] = []
    if options.readsClients {
      while let id = readLine() { clients.append(Workload.Client(id: id)) }
      guard !clients.isEmpty else { throw LoadError("no client ID on standard input") }
    } else {
      clients = try Workload.newClients(options.clients)
    }
    let work = try Workload(clients: clients, host: host, relay: relay, messageBytes: options.messageBytes)
    let driver = try LoadDriver(options.target)
    defer { driver.stop() }
    if options.registers {
      let registered = driver.run(work.registrations)
      guard registered.lost == 0, registered.failures.isEmpty,
        registered.statuses == [200: options.clients]
      else { throw LoadError("registrations failed: \(registered.statuses) \(registered.failures)") }
    }
    // Connections to the gateways, access tokens and caches come about before the clock starts.
    _ = driver.run(try work.pushes(options.warmUp, from: 0, threads: options.threads))
    let pushes = try work.pushes(options.count, from: options.warmUp, threads: options.threads)
    if options.waits {
      Console.print("ready")
      _ = readLine()
    }
    let report = Report(driver.run(pushes, limit: options.seconds.map { .seconds($0) }))
    Console.print(report.json)
    return report.isClean
  }

  private static func seed(in path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw SystemError(call: "open", subject: path) }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = fread(&text, 1, text.count, file)
    guard let seed = Hex.decode(String(decoding: text[..<count].filter { $0 > 0x20 }, as: UTF8.self)) else {
      throw LoadError("\(path) is no hex seed")
    }
    return seed
  }
}

/// Why there is nothing to measure.
struct LoadError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

import Bytes
import Crypto
import EventLoop
import Gateways
import Glibc
import JSON
import MockGateway
import MockRelay

/// Serves the mock gateway as a process of its own, for benchmarks.
///
/// `mockgateway FOLDER [LISTEN]` writes into FOLDER what a pushbox needs to use it (`config.toml` with the
/// keys beside it), the seed of the relay's key (`relay.seed`, hex) and the body of a push
/// (`apns-payload.json`). Then it prints one line of JSON with its addresses and with the header fields of a
/// valid push to APNs, and serves until SIGTERM. Each SIGUSR1 prints a line with what was counted since the
/// last one. LISTEN is where that pushbox is to listen.
@main
enum MockGatewayCommand {
  static func main() {
    // Before any thread starts, so that every thread has it.
    SignalSource.block([SIGTERM, SIGINT, SIGUSR1])
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 1 || arguments.count == 2 else {
      fail("usage: mockgateway FOLDER [LISTEN]", status: 2)
    }
    do {
      try serve(folder: arguments[0], listen: arguments.count == 2 ? arguments[1] : "127.0.0.1:0")
    } catch {
      fail("mockgateway: \(error)", status: 1)
    }
  }

  private static func serve(folder: String, listen: String) throws {
    var options = MockGateway.Configuration()
    options.recording = .countOnly
    let gateway = try MockGateway.start(options)
    let seed = try Random.bytes(Ed25519PrivateKey.seedByteCount)
    let relay = try MockRelay(key: Ed25519PrivateKey(seed: seed))
    var files = MockConfiguration(folder: folder, gateway: gateway, relayPublicKey: relay.publicKeyHex)
    files.listen = listen
    try files.write()
    let sample = try SamplePush(gateway)
    try write(folder + "/relay.seed", Array(Hex.encode(seed).utf8))
    try write(folder + "/apns-payload.json", sample.payload)
    printLine(description(of: gateway, sample, configuration: files.path))

    let loop = try EventLoop()
    let source = try SignalSource(loop: loop, signals: [SIGTERM, SIGINT, SIGUSR1]) { signal in
      guard signal == SIGUSR1 else { return loop.stop() }
      printLine(counts(of: gateway))
      gateway.resetDeliveries()
    }
    loop.run()
    source.cancel()
    gateway.stop()
  }

  private static let services: [(name: String, service: MockGateway.Service)] = [
    ("apns", .apnsProduction), ("apns_sandbox", .apnsSandbox), ("fcm", .fcm), ("oauth", .oauth),
  ]

  private static func description(
    of gateway: MockGateway, _ sample: SamplePush, configuration: String
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for (name, service) in services { writer.member(name, gateway.url(of: service)) }
    writer.member("configuration", configuration)
    writer.member("apns_path", sample.path)
    writer.key("apns_fields")
    writer.beginArray()
    for field in sample.fields { writer.value("\(field.name): \(field.value)") }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private static func counts(of gateway: MockGateway) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for (name, service) in services {
      let counters = gateway.counters(of: service)
      writer.key(name)
      writer.beginObject()
      writer.member("requests", UInt64(counters.requests))
      writer.member("accepted", UInt64(counters.accepted))
      writer.member("connections", UInt64(counters.connectionsOpen))
      writer.endObject()
    }
    writer.endObject()
    return writer.bytes
  }

  private static func printLine(_ text: [UInt8]) {
    let line = text + [UInt8(ascii: "\n")]
    // Whoever started this reads it; when nobody does, there is nobody to tell.
    _ = Glibc.write(STDOUT_FILENO, line, line.count)
  }

  private static func write(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError(call: "open", subject: path) }
    defer { close(file) }
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw SystemError(call: "write", subject: path)
    }
  }

  private static func fail(_ message: String, status: Int32) -> Never {
    let line = Array((message + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, line, line.count)
    exit(status)
  }
}

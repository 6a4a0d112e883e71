import Bytes
import EventLoop
import Glibc
import Service
import Store

/// Measures the store alone, without a server. Benchmarks/RESULTS.md says how to read the lines.
///
///     storebench durable FOLDER            registrations a second by concurrency, against raw LMDB
///     storebench fill FOLDER COUNT...      fills up to each count, says how long it took and the size
///     storebench lookup FOLDER             how long a look-up takes
///     storebench idle FOLDER               memory of a process that has the store open and does nothing
@main
enum StoreBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let folder = arguments.dropFirst().first else { exit(2) }
    switch arguments.first {
    case "durable": try DurableBenchmark.run(folder)
    case "fill":
      let counts = arguments.dropFirst(2).compactMap { Int($0) }
      try FillBenchmark.run(folder, counts: counts)
    case "lookup": try LookupBenchmark.run(folder)
    case "idle": try idle(folder)
    default: exit(2)
    }
  }

  static func open(_ folder: String) throws -> Store {
    var options = StoreOptions()
    options.queueCapacity = 1 << 20
    let key = (0..<32).map { UInt8($0) }
    return try Store.open(path: folder, options: options, cipher: StoreCipher(masterKey: key))
  }

  private static func idle(_ folder: String) throws {
    let store = try open(folder)
    let count = try store.makeReader().counts().totalActive
    report("idle: \(count) registrations, \(ProcessMemory.residentKilobytes()) KiB resident")
    store.close()
  }
}

/// A line at once: what follows may take minutes.
func report(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}

enum ProcessMemory {
  /// `VmRSS` of proc(5).
  static func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("VmRSS:") { return Int(text.filter { $0.isNumber }) ?? 0 }
    }
    return 0
  }
}

/// Registrations of realistic size, always the same for one number: Ed25519 keys as client IDs, and by turns APNs
/// tokens of 64 and FCM tokens of 163 bytes.
enum SampleRegistration {
  private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

  private static func bytes(_ length: Int, _ seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<length).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }

  static func publicKey(_ number: Int) -> [UInt8] { bytes(32, UInt64(number) &* 2 &+ 1) }

  static func clientID(_ number: Int) -> String {
    var text: [UInt8] = []
    _ = Ed25519Multibase.appendText(of: publicKey(number).span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  static func make(_ number: Int) throws(StoreError) -> Registration {
    let isFCM = number % 2 == 1
    return Registration(
      key: try ClientKey(client: clientID(number)), kind: isFCM ? .fcm : .apns,
      token: String(
        decoding: bytes(isFCM ? 163 : 64, UInt64(number) &* 2 &+ 2).map {
          alphabet[Int($0) % alphabet.count]
        },
        as: UTF8.self),
      alwaysRaw: true)
  }
}

import Glibc
import Store

/// Registers client after client and prints each ID once it is acknowledged, until it is killed.
/// Usage: StoreCrashProbe <store folder> <prefix of the client IDs>
///
/// With the prefix `-` it is a command that reads, and says so, until it is killed.
@main
struct StoreCrashProbe {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { exit(2) }
    var options = StoreOptions()
    options.mapSize = 64 << 20
    options.deliveriesMapSize = 16 << 20
    let prefix = arguments[2]
    if prefix == "-" { options.role = .tool }
    let store = try Store.open(path: arguments[1], options: options, cipher: ProbeCipher())
    if prefix == "-" { try read(store) }
    for number in 0..<1_000_000 {
      // A few at a time, and tokens that move between clients: the indexes have something to lose.
      let key = try ClientKey(client: "\(prefix)-\(number)")
      let registration = Registration(key: key, kind: .fcm, token: "token-\(prefix)-\(number)")
      store.register(registration) { result in acknowledge(key.clientID, result) }
      if number % 3 == 0 {
        let thief = try ClientKey(client: "moving")
        store.register(Registration(key: thief, kind: .fcm, token: "moving-\(number % 7)")) { _ in }
      }
      // Not more than the queue takes: every acknowledgement is one of a commit.
      if number % 64 == 63 { waitForWriter(store, key) }
    }
  }

  private static func read(_ store: Store) throws {
    try store.makeReader().forEachRecord { (_) throws(StoreError) in
      if write(1, "reading\n", 8) != 8 { exit(3) }
      while true { pause() }
    }
  }

  /// One write(2) a line: what arrives in the pipe was acknowledged, whatever happens next.
  private static func acknowledge(_ clientID: String, _ result: Result<RegistrationOutcome, StoreError>) {
    guard case .success = result else { return }
    let line = Array("\(clientID)\n".utf8)
    if write(1, line, line.count) != line.count { exit(3) }
  }

  private static func waitForWriter(_ store: Store, _ key: ClientKey) {
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
    let address = Int(bitPattern: semaphore)
    store.setSetting("turn", to: key.clientID.utf8.map { $0 }) { _ in
      if let semaphore = UnsafeMutablePointer<sem_t>(bitPattern: address) { sem_post(semaphore) }
    }
    while sem_wait(semaphore) != 0 {}
    sem_destroy(semaphore)
    semaphore.deallocate()
  }
}

/// No cipher at all, only the shape of one; `FakeCipher` in StoreTests does the same.
struct ProbeCipher: TokenCipher {
  func seal(_ plain: [UInt8], context: [UInt8]) throws(TokenCipherError) -> [UInt8] { index(context) + plain }

  func open(_ sealed: Span<UInt8>, context: [UInt8]) throws(TokenCipherError) -> [UInt8] {
    let bytes = sealed.withUnsafeBufferPointer { [UInt8]($0) }
    guard Array(bytes.prefix(32)) == index(context) else { throw TokenCipherError("sealed for another row") }
    return [UInt8](bytes.dropFirst(32))
  }

  /// FNV-1a, four times with different beginnings.
  func index(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    for seed in UInt64(1)...4 {
      var hash = 0xcbf2_9ce4_8422_2325 &* seed
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      withUnsafeBytes(of: hash.bigEndian) { out.append(contentsOf: $0) }
    }
    return out
  }
}

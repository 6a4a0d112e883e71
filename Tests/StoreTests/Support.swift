import Bytes
import Glibc

@testable import Store

/// A folder that goes with the test.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/store-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw StoreError.from(errno: errno, operation: "mkdtemp", path: "/tmp")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var store: String { path + "/store" }

  deinit {
    Self.remove(path)
  }

  private static func remove(_ path: String) {
    for name in Folder.names(in: path) {
      let child = path + "/" + name
      if unlink(child) != 0 { remove(child) }
    }
    rmdir(path)
  }

  func write(_ name: String, _ bytes: [UInt8], at offset: Int = 0) throws {
    let descriptor = open(store + "/" + name, O_RDWR | O_CREAT, 0o600)
    defer { close(descriptor) }
    guard pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else {
      throw StoreError.from(errno: errno, operation: "writing", path: name)
    }
  }

  func size(_ name: String) -> Int {
    var status = stat()
    return stat(store + "/" + name, &status) == 0 ? status.st_size : -1
  }
}

/// Binds like a real cipher does, hides nothing. The same as the crash probe's.
struct FakeCipher: TokenCipher {
  var key: UInt8 = 0

  func seal(_ plain: [UInt8], context: [UInt8]) throws(TokenCipherError) -> [UInt8] { index(context) + plain }

  func open(_ sealed: Span<UInt8>, context: [UInt8]) throws(TokenCipherError) -> [UInt8] {
    let bytes = [UInt8](copying: sealed)
    guard Array(bytes.prefix(32)) == index(context) else { throw TokenCipherError("sealed for another row") }
    return [UInt8](bytes.dropFirst(32))
  }

  func index(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    for seed in UInt64(1)...4 {
      var hash = 0xcbf2_9ce4_8422_2325 &* (seed + UInt64(key) * 4)
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      out.append(bigEndian: hash)
    }
    return out
  }
}

/// A clock that tests set, milliseconds.
final class TestClock: Sendable {
  let time = Locked<UInt64>(1_000_000_000_000)

  var now: UInt64 { time.withLock { $0 } }
  func advance(_ milliseconds: UInt64) { time.withLock { $0 += milliseconds } }
}

/// An open store in a folder of its own, and a clock.
struct Fixture {
  let folder: TemporaryFolder
  let clock: TestClock
  let warnings: Locked<[String]>
  let store: Store

  init(
    _ folder: TemporaryFolder? = nil, cipher: FakeCipher = FakeCipher(),
    _ adjust: (inout StoreOptions) -> Void = { _ in }
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    let clock = TestClock()
    let warnings = Locked<[String]>([])
    var options = Fixture.options
    options.clock = { clock.now }
    options.onWarning = { warning in warnings.withLock { $0.append(warning) } }
    adjust(&options)
    self.folder = folder
    self.clock = clock
    self.warnings = warnings
    store = try Store.open(path: folder.store, options: options, cipher: cipher)
  }

  static var options: StoreOptions {
    var options = StoreOptions()
    options.mapSize = 64 << 20
    options.deliveriesMapSize = 16 << 20
    return options
  }

  func lookup(_ client: String) throws -> ClientRecord? {
    try store.makeReader().lookup(ClientKey(client: client))
  }

  func inconsistency() throws -> String? { try store.makeReader().inconsistency() }
}

/// Calls `store` with 0, 1 and so on until the map has no room: how many it took, and the refusal.
func fillUntilRefused(
  limit: Int = 100_000, _ store: (_ number: Int) async throws -> Void
) async throws -> (stored: Int, refusal: StoreError) {
  for number in 0..<limit {
    do {
      try await store(number)
    } catch let error as StoreError {
      guard case .mapFull = error else { throw error }
      return (number, error)
    }
  }
  throw StoreError.invalidValue("\(limit) found room")
}

extension Store {
  @discardableResult
  func register(
    _ client: String, _ token: String, kind: TokenKind = .apns, alwaysRaw: Bool = false,
    authenticated: Bool = false
  ) async throws -> RegistrationOutcome {
    let registration = Registration(
      key: try ClientKey(client: client), kind: kind, token: token, alwaysRaw: alwaysRaw,
      authenticated: authenticated)
    return try await wait { register(registration, completion: $0) }
  }

  func delete(_ client: String) async throws -> Bool {
    let key = try ClientKey(client: client)
    return try await wait { delete(key, completion: $0) }
  }

  func tombstone(
    _ client: String, _ tokenIndex: [UInt8], since: UInt64? = nil
  ) async throws -> TombstoneOutcome {
    let key = try ClientKey(client: client)
    return try await wait {
      tombstone(key, ifTokenIndex: tokenIndex, since: since, reason: "Unregistered", completion: $0)
    }
  }
}

extension Store {
  /// Lets the upkeep of the deliveries come round until `holds` does, or many times: each turn waits for a commit of the
  /// same writer. Leaves two marks.
  func upkeep(until holds: () throws -> Bool) async throws {
    for turn in 0..<1000 where try !holds() {
      let key = DeliveryKey(digest: [UInt8](repeating: UInt8(turn % 2), count: 32))
      if let key { try await wait { markDelivered(key, completion: $0) } }
    }
  }
}

/// The answer that `submit` gives by completion.
func wait<Value: Sendable>(
  _ submit: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedContinuation { continuation in
    submit { continuation.resume(returning: $0) }
  }.get()
}

/// Lets a thread sleep until another one opens the gate; for making a writer busy.
final class Gate: @unchecked Sendable {
  // Safe to share: POSIX semaphores are made for that.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open() { sem_post(semaphore) }
  func pass() { while sem_wait(semaphore) != 0 {} }
}

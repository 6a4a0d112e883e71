import Bytes
import EventLoop
import Service
import Store
import Telemetry

/// What the admin API of all workers shares. Any thread.
public final class AdminShared: Sendable {
  let service: SharedService
  public let registry: MetricsRegistry
  let history: MetricsHistory
  let sessions = AdminSessions()
  let loginLock = Locked(LoginLock())
  let actions: ActionLog
  let undo = UndoVault()
  let forwardedNotice: ForwardedFieldNotice
  let startedAt = WallClock.milliseconds()
  /// Milliseconds since the epoch; tests give another.
  let clock: @Sendable () -> UInt64
  private let lifetime = MonotonicTime.now()
  /// Where what would hold up a worker is done: scans, the store's size, files.
  private let desk: LoopThread
  private let deskReader: LoopBound<StoreReader>
  /// Where passwords are hashed, one at a time, so that guessing takes memory and time from nobody.
  private let hasher: LoopThread
  private let rings = Locked<[LoopBound<DeliveryRing>]>([])
  private let currentHost = Locked<WeakHost>(WeakHost())
  private let space = Locked<StoreStatus?>(nil)
  private let counted = Locked<RegistrationCounts?>(nil)
  /// Downloads and streams that go on.
  let usage = Locked(AdminUsage())
  private static let spaceInterval = 5

  private struct WeakHost: Sendable {
    weak var host: (any AdminHost)?
  }

  public init(
    service: SharedService, registry: MetricsRegistry,
    clock: @escaping @Sendable () -> UInt64 = { WallClock.milliseconds() }
  ) throws(AdminStartError) {
    self.service = service
    self.registry = registry
    self.clock = clock
    history = MetricsHistory(service.metrics, store: service.store, log: service.log)
    forwardedNotice = ForwardedFieldNotice(service.metrics, service.log)
    actions = ActionLog(store: service.store, log: service.log, clock: clock)
    do {
      desk = try LoopThread(name: "admin")
      hasher = try LoopThread(name: "passwords")
      let loop = desk.loop
      let store = service.store
      let made: Result<LoopBound<StoreReader>, StoreError> = loop.runAndWait {
        do throws(StoreError) {
          return .success(LoopBound(try store.makeReader(), loop: loop))
        } catch {
          return .failure(error)
        }
      }
      deskReader = try made.get()
    } catch {
      throw AdminStartError(description: "\(error)")
    }
  }

  /// Begins to take down numbers each second.
  public func start() {
    desk.loop.execute { [self] in tick(0) }
  }

  /// Ends its threads; what was counted last is written. Before the store closes.
  public func stop() {
    history.finish()
    desk.stopAndJoin()
    hasher.stopAndJoin()
  }

  private func tick(_ count: Int) {
    history.tick()
    if count % Self.spaceInterval == 0 {
      undo.sweep(now: clock())
      if let status = try? service.store.status() { space.withLock { $0 = status } }
      if let counts = try? deskReader.value.counts() { counted.withLock { $0 = counts } }
    }
    desk.loop.schedule(after: .seconds(1)) { [self] in tick(count &+ 1) }
  }

  /// Takes a new configuration: another password ends all sessions.
  public func use(_ settings: AdminSettings?) {
    sessions.use(settings?.password)
    forwardedNotice.reset()
  }

  /// What `host` says is shown; it is held weakly.
  public func use(_ host: any AdminHost) {
    currentHost.withLock { $0 = WeakHost(host: host) }
  }

  var host: (any AdminHost)? { currentHost.withLock { $0.host } }

  /// How full the store is, as of some seconds ago; nil when that can't be read.
  var storeStatus: StoreStatus? { space.withLock { $0 } ?? (try? service.store.status()) }

  /// Registrations as of some seconds ago; nil before the first look.
  var registrationCounts: RegistrationCounts? { counted.withLock { $0 } }

  /// Whole seconds.
  var uptime: UInt64 { UInt64(clamping: (MonotonicTime.now() - lifetime).wholeMilliseconds / 1000) }

  /// Makes a worker's pushes part of what is shown.
  func add(_ ring: LoopBound<DeliveryRing>) {
    rings.withLock { $0.append(ring) }
  }

  var workerRings: [LoopBound<DeliveryRing>] { rings.withLock { $0 } }

  /// Does `work` away from the workers, then `completion` on `loop`.
  func atDesk<Value: Sendable>(
    _ loop: EventLoop, _ work: @escaping @Sendable (StoreReader) -> Value,
    _ completion: @escaping (Value) -> Void
  ) {
    let completion = LoopBound(completion, loop: loop)
    deskReader.run { reader in
      let value = work(reader)
      completion.run { $0(value) }
    }
  }

  /// Hashes a password, then does `completion` on `loop`.
  func hash<Value: Sendable>(
    _ loop: EventLoop, _ work: @escaping @Sendable () -> Value, _ completion: @escaping (Value) -> Void
  ) {
    let completion = LoopBound(completion, loop: loop)
    hasher.loop.execute {
      let value = work()
      completion.run { $0(value) }
    }
  }

  /// Asks every worker's ring, then does `completion` on `loop` with their answers by the workers' numbers.
  func gather<Value: Sendable>(
    _ loop: EventLoop, _ ask: @escaping @Sendable (Int, DeliveryRing) -> Value,
    _ completion: @escaping ([Value]) -> Void
  ) {
    let rings = workerRings
    let answers = Locked([Int: Value]())
    let completion = LoopBound(completion, loop: loop)
    for (index, ring) in rings.enumerated() {
      ring.run { ring in
        let value = ask(index, ring)
        let all: [Value]? = answers.withLock { answers in
          answers[index] = value
          return answers.count == rings.count ? answers.sorted { $0.key < $1.key }.map(\.value) : nil
        }
        if let all { completion.run { $0(all) } }
      }
    }
  }
}

/// How much of what is costly goes on.
struct AdminUsage {
  static let streamLimit = 32
  /// Passwords that wait to be hashed.
  static let loginLimit = 8
  var streams = 0
  var logins = 0
  var isBackingUp = false
}

/// Why the admin API cannot start.
public struct AdminStartError: Error, CustomStringConvertible {
  public let description: String
}

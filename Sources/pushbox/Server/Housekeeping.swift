import Configuration
import EventLoop
import Service
import Store
import Telemetry

/// What happens at intervals beside the pushes: tombstones past their time and provider tokens that are too old
/// and files set aside are removed for good, and a store that is nearly full is told of. More often, what killed
/// commands were reading is let go of.
enum Housekeeping {
  private static let interval = Duration.seconds(3600)
  private static let readerInterval = Duration.seconds(60)
  private static let batch = 1000
  private static let warningPercent = 80

  /// Starts on a loop of its own, which the caller stops.
  ///
  /// - Parameter tombstoneDays: asked anew each time, since a reload may change it.
  static func start(
    store: Store, vault: ProviderTokenVault, log: Log, tombstoneDays: @escaping @Sendable () -> Int
  ) throws(ServerError) -> LoopThread {
    do throws(SystemError) {
      let thread = try LoopThread(name: "housekeeping")
      let loop = thread.loop
      loop.execute {
        tidy(store, vault, tombstoneDays, log, loop)
        clearStaleReaders(store, log, loop)
      }
      return thread
    } catch {
      throw ServerError("cannot start the housekeeping thread: \(error)")
    }
  }

  /// Everything, now and after each interval.
  private static func tidy(
    _ store: Store, _ vault: ProviderTokenVault, _ tombstoneDays: @escaping @Sendable () -> Int, _ log: Log,
    _ loop: EventLoop
  ) {
    vault.removeExpired(now: WallClock.seconds())
    warnIfNearlyFull(store, log)
    removeSetAside(store, log)
    purge(store, tombstoneDays, log, loop)
    loop.schedule(after: interval) { tidy(store, vault, tombstoneDays, log, loop) }
  }

  private static func purge(
    _ store: Store, _ tombstoneDays: @escaping @Sendable () -> Int, _ log: Log, _ loop: EventLoop
  ) {
    let age = UInt64(clamping: tombstoneDays()) * 86_400_000
    let now = WallClock.milliseconds()
    store.purgeTombstones(before: now > age ? now - age : 0, limit: batch) { result in
      switch result {
      case .success(let count) where count == batch:
        // More may be waiting; between batches the writer serves others.
        loop.execute { purge(store, tombstoneDays, log, loop) }
      case .success(let count):
        if count > 0 { log.info("tombstones removed", ["count": .number(count)]) }
      case .failure(let error):
        log.warning("tombstones were not removed", ["error": "\(error)"])
      }
    }
  }

  private static func removeSetAside(_ store: Store, _ log: Log) {
    do throws(StoreError) {
      for path in try store.removeOldSetAside() {
        log.info(
          "a file that was set aside \(Store.setAsideDays) days ago is removed", ["path": .string(path)])
      }
    } catch {
      log.warning("files that were set aside cannot be removed", ["error": "\(error)"])
    }
  }

  private static func clearStaleReaders(_ store: Store, _ log: Log, _ loop: EventLoop) {
    do throws(StoreError) {
      let count = try store.clearStaleReaders()
      if count > 0 { log.info("a command ended while it read the store", ["readers": .number(count)]) }
    } catch {
      log.warning("the store's readers cannot be looked at", ["error": "\(error)"])
    }
    loop.schedule(after: readerInterval) { clearStaleReaders(store, log, loop) }
  }

  private static func warnIfNearlyFull(_ store: Store, _ log: Log) {
    do throws(StoreError) {
      let status = try store.status()
      let parts: [(String, StoreStatus.Space?, ConfigurationKey)] = [
        ("registrations", status.registrations, ConfigurationKey.storeMapSize),
        ("deliveries", status.deliveries, .storeDeliveriesMapSize),
      ]
      for (name, space, key) in parts {
        guard let space, space.percent >= warningPercent else { continue }
        log.warning(
          "the store is nearly full: raise \(key.rawValue) and restart",
          ["part": .string(name), "percent": .number(space.percent), "bytes": .number(space.mapSize)])
      }
    } catch {
      log.warning("the store's size cannot be read", ["error": "\(error)"])
    }
  }
}

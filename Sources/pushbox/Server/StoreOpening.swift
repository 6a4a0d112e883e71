import Configuration
import Crypto
import Glibc
import Service
import Store

/// Opens the store with its key, whoever needs it.
enum StoreOpening {
  typealias Opened = (store: Store, cipher: StoreCipher)

  /// For the one process that serves: makes what is missing, key included.
  static func openForServing(
    _ settings: Configuration.Store, onWarning: @escaping @Sendable (String) -> Void,
    onMigration: @escaping @Sendable (StoreProgress) -> Void,
    onUnusable: @escaping @Sendable (StoreError) -> Void
  ) throws(ServerError) -> Opened {
    try openWithCipher(
      settings, role: .serve, onWarning: onWarning, onMigration: onMigration, onUnusable: onUnusable)
  }

  /// - Parameter role: a server makes what is missing, key included; a tool does not.
  static func open(
    _ settings: Configuration.Store, role: StoreOptions.Role,
    onWarning: @escaping @Sendable (String) -> Void = { Terminal.printError("warning: store: \($0)") }
  ) throws(ServerError) -> Store {
    try openWithCipher(settings, role: role, onWarning: onWarning).store
  }

  /// Beside a server, if one runs: makes nothing.
  static func openForTool(_ settings: Configuration.Store) throws(ServerError) -> Opened {
    try openWithCipher(
      settings, role: .tool, onWarning: { Terminal.printError("warning: store: \($0)") })
  }

  private static func openWithCipher(
    _ settings: Configuration.Store, role: StoreOptions.Role,
    onWarning: @escaping @Sendable (String) -> Void,
    onMigration: @escaping @Sendable (StoreProgress) -> Void = { _ in },
    onUnusable: @escaping @Sendable (StoreError) -> Void = { _ in }
  ) throws(ServerError) -> Opened {
    let keyFile = TokenKeyFile(path: settings.tokenKeyFile)
    // A new key would open nothing of a store that is there, be it one that this user may not look at.
    let isFirstStart =
      role == .serve && access(settings.path + "/registrations/data.mdb", F_OK) != 0 && errno == ENOENT
    let key = isFirstStart ? try keyFile.loadOrCreate() : try keyFile.load()
    var options = StoreOptions()
    options.role = role
    options.mapSize = UInt64(clamping: settings.mapSize)
    options.deliveriesMapSize = UInt64(clamping: settings.deliveriesMapSize)
    options.deliveredRetention = UInt64(clamping: settings.deliveredDays) * 86_400
    options.onWarning = onWarning
    options.onMigration = onMigration
    options.onUnusable = onUnusable
    if let opened = try open(settings, options, key) { return opened }
    // A rotation may have ended between its commit and its last rename.
    guard let next = try keyFile.loadNext(), let opened = try open(settings, options, next) else {
      throw ServerError("store.path: \(StoreError.wrongKey(path: settings.path))")
    }
    // Beside a server only the one who holds the lock may touch the key.
    if role == .serve { try keyFile.adoptNext() }
    return opened
  }

  /// nil when it was written with another key.
  private static func open(
    _ settings: Configuration.Store, _ options: StoreOptions, _ key: [UInt8]
  ) throws(ServerError) -> Opened? {
    let cipher = try cipher(key)
    do throws(StoreError) {
      return (try Store.open(path: settings.path, options: options, cipher: cipher), cipher)
    } catch .wrongKey {
      return nil
    } catch {
      throw ServerError("store.path: \(error)")
    }
  }

  static func cipher(_ key: [UInt8]) throws(ServerError) -> StoreCipher {
    do throws(CryptoError) {
      return try StoreCipher(masterKey: key)
    } catch {
      throw ServerError("store.token_key_file: \(error)")
    }
  }
}

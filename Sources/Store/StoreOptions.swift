/// How a store is opened.
public struct StoreOptions: Sendable {
  public enum Role: Sendable {
    /// The one process that serves: creates what is missing, holds `serve.lock`.
    case serve
    /// A command beside a running server: an existing store's registrations only, no delivered marks.
    case tool
  }

  public var role: Role = .serve
  /// Bytes the registrations may take at most; the file is sparse. A later value may be larger. The same for a tool:
  /// what it made larger than the server's map would be of no use to the server.
  public var mapSize: UInt64 = 64 << 30
  /// The same for the delivered marks.
  public var deliveriesMapSize: UInt64 = 16 << 30
  /// Operations waiting for each writer before it answers `overloaded`.
  public var queueCapacity: Int = 20_000
  /// Seconds a delivered mark is kept at least. The relay gives up after three days (PROTOCOL, relay webhooks).
  public var deliveredRetention: UInt64 = 4 * 86_400
  /// Seconds after its last push for which a client's push counts are kept.
  public var activityRetention: UInt64 = 90 * 86_400
  /// Between syncs and sweeps of the delivered marks.
  public var upkeepInterval: Duration = .seconds(1)
  /// How long delivered marks wait for others to be written along with them: a transaction and a wake-up of
  /// the writer for each cost more than the mark. No caller waits for them.
  public var markGathering: Duration = .milliseconds(5)
  /// Milliseconds since the epoch.
  public var clock: @Sendable () -> UInt64 = { Clock.wallMilliseconds() }
  /// Told about trouble that needs no answer, such as a damaged file that was set aside. Any thread.
  public var onWarning: @Sendable (String) -> Void = { _ in }
  /// Told how far bringing an older store up to date is, as the opening goes on. Only of a server.
  public var onMigration: @Sendable (StoreProgress) -> Void = { _ in }
  /// Told, perhaps more than once, that nothing can be read or written any more before the store is opened anew:
  /// a write of LMDB's header failed, or another process made the file larger than the map. Any thread.
  public var onUnusable: @Sendable (StoreError) -> Void = { _ in }

  public init() {}
}

import Glibc

extension Store {
  /// What a restore brought back.
  public struct Restored: Sendable {
    public var counts: RegistrationCounts
    /// Where the registrations that were there before are kept; nil when there were none.
    public var replaced: String?
  }

  /// Puts the backup in the file `source` in place of the registrations in the folder at `path`, which is
  /// made if need be; `time` is in seconds since the epoch.
  ///
  /// The copy is verified in full first, and takes the old file's place in one step; the old file stays beside
  /// it. Delivered marks are set aside: they belong to the registrations that went.
  /// Errors: `locked` while a process serves the folder, `inUse` while a command has it open, `alreadyExists` unless
  /// `replacing`, `emptyBackup`, `wrongKey`, `damaged`.
  public static func restore(
    from source: String, to path: String, cipher: any TokenCipher, replacing: Bool, time: UInt64,
    progress: (StoreProgress) -> Void = { _ in }
  ) throws(StoreError) -> Restored {
    try Folder.create(path)
    let use = try SoleUse(folder: path)
    defer { _ = use }
    let folder = path + "/registrations"
    try Folder.create(folder)
    let target = folder + "/data.mdb"
    let exists = access(target, F_OK) == 0
    guard !exists || replacing else { throw .alreadyExists(path: path) }
    let staging = path + "/restoring"
    removeStaging(staging)
    defer { removeStaging(staging) }
    try Folder.create(staging)
    try Folder.copyFile(source, to: staging + "/data.mdb", progress: progress)
    let counts = try verifiedCounts(of: staging, source: source, cipher: cipher, progress: progress)

    var replaced: String?
    if exists {
      let aside = folder + "/" + SetAside.replaced + String(time)
      guard link(target, aside) == 0 else { throw .from(errno: errno, operation: "linking", path: aside) }
      replaced = aside
    }
    let deliveries = DeliveriesFolder(path: path + "/deliveries")
    if access(deliveries.path, F_OK) == 0 { _ = try deliveries.setAside(time: time) }
    unlink(folder + "/lock.mdb")
    guard rename(staging + "/data.mdb", target) == 0 else {
      throw .from(errno: errno, operation: "renaming", path: target)
    }
    try Folder.sync(folder)
    return Restored(counts: counts, replaced: replaced)
  }

  private static func verifiedCounts(
    of staging: String, source: String, cipher: any TokenCipher, progress: (StoreProgress) -> Void
  ) throws(StoreError) -> RegistrationCounts {
    do throws(StoreError) {
      let environment = try LMDBEnvironment(
        path: staging, settings: .init(mapSize: nil, isDurable: true, mayCreate: false))
      try environment.fillShortFile()
      // An LMDB file of anything else must not be made into a store.
      let isStore =
        try environment.hasTable(RegistrationTable.Name.registrations)
        ? true : environment.hasTable(FirstLayout.Name.registrations)
      guard isStore else {
        throw .damaged(path: source, detail: "it is no backup of a store")
      }
      let table = try RegistrationTable(environment, cipher: cipher, mayMigrate: true, progress: progress)
      let transaction = try ReadSlot(environment).begin()
      if let problem = try table.inconsistency(in: transaction, progress: progress) {
        throw .damaged(path: source, detail: problem)
      }
      let counts = RegistrationCounts(try table.counters(in: transaction))
      guard counts.totalActive &+ counts.totalTombstoned > 0 else { throw .emptyBackup(path: source) }
      return counts
    } catch {
      // In the terms of the file that the operator named.
      switch error {
      case .damaged(_, let detail): throw .damaged(path: source, detail: detail)
      case .wrongKey: throw .wrongKey(path: source)
      case .newerSchema(_, let found, let supported):
        throw .newerSchema(path: source, found: found, supported: supported)
      case .formatMismatch: throw .formatMismatch(path: source)
      default: throw error
      }
    }
  }

  private static func removeStaging(_ path: String) {
    for name in Folder.names(in: path) { unlink(path + "/" + name) }
    rmdir(path)
  }
}

import Glibc

/// Files of a store that something else took the place of: kept beside it for a time, should somebody want them back.
enum SetAside {
  /// Registrations before a restore.
  static let replaced = "data.mdb.replaced-"
  /// Delivery marks that could not be used.
  static let damaged = "data.mdb.damaged-"

  /// When a file of that name was set aside, in seconds since the epoch; nil when it is no such file.
  static func time(of name: String) -> UInt64? {
    for prefix in [replaced, damaged] where name.hasPrefix(prefix) {
      return UInt64(name.dropFirst(prefix.count))
    }
    return nil
  }
}

extension Store {
  /// Days for which a file that was set aside is kept.
  public static let setAsideDays: UInt64 = 30

  /// Removes what was set aside longer ago than that. The files' paths. Blocks. Errors: `permissionDenied`, `system`.
  public func removeOldSetAside() throws(StoreError) -> [String] {
    let now = options.clock() / 1000
    var removed: [String] = []
    for folder in [registrations.environment.path, deliveries?.environment.path].compactMap({ $0 }) {
      for name in Folder.names(in: folder) {
        guard let time = SetAside.time(of: name), now > time, now - time > Self.setAsideDays * 86_400 else {
          continue
        }
        let path = folder + "/" + name
        guard unlink(path) == 0 else { throw .from(errno: errno, operation: "removing", path: path) }
        removed.append(path)
      }
    }
    return removed
  }
}

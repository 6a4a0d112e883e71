import Glibc

/// The `deliveries` folder between runs: tells whether its file can be trusted, and sets a bad one aside.
///
/// Without a sync at each commit, a power loss can leave pages of different ages, which LMDB can't detect and
/// which may crash the process. The file `state` therefore says in which boot of the machine the environment
/// was last open. Killing the process alone does no harm: the kernel has all that was written.
struct DeliveriesFolder: Sendable {
  let path: String
  /// `/proc/sys/kernel/random/boot_id`, proc(5): a new one each boot.
  var bootID: String = Self.currentBootID()

  private static let stateName = "state"
  private static let stateLength = 64
  private static let clean = "clean"
  private static let damaged = "damaged"

  static func currentBootID() -> String {
    let bytes = Folder.readSmallFile("/proc/sys/kernel/random/boot_id") ?? []
    return String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
  }

  /// Why the data file must not be used; nil when it may.
  func distrust() -> String? {
    guard let bytes = Folder.readSmallFile(path + "/" + Self.stateName) else { return nil }
    var text = String(decoding: bytes, as: UTF8.self)[...]
    while text.last == " " { text.removeLast() }
    switch text {
    case Self.clean: return nil
    case Self.damaged: return "it was found damaged while in use"
    case "open " + bootID where !bootID.isEmpty: return nil
    default: return "the machine went down while it was in use"
    }
  }

  func markOpen() throws(StoreError) { try setState("open " + bootID) }
  func markClean() throws(StoreError) { try setState(Self.clean) }
  func markDamaged() throws(StoreError) { try setState(Self.damaged) }

  /// Renames the data file so that a new one can begin; the ones set aside before are removed. The new name,
  /// nil when there was no file.
  func setAside(time: UInt64) throws(StoreError) -> String? {
    let older = Folder.names(in: path).filter { $0.hasPrefix(SetAside.damaged) }
    let target = path + "/" + SetAside.damaged + String(time)
    if rename(path + "/data.mdb", target) != 0 {
      guard errno == ENOENT else { throw .from(errno: errno, operation: "renaming data.mdb in", path: path) }
      return nil
    }
    for name in older where path + "/" + name != target {
      unlink(path + "/" + name)
    }
    unlink(path + "/lock.mdb")
    try Folder.sync(path)
    return target
  }

  /// Written within one disk sector. A torn write would read as nonsense, which is not trusted.
  func setState(_ state: String) throws(StoreError) {
    let padding = [UInt8](repeating: 0x20, count: max(0, Self.stateLength - state.utf8.count))
    try Folder.overwriteFile(Self.stateName, in: path, with: Array(state.utf8) + padding)
  }
}

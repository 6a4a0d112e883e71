/// A store to oneself: no server and no command has it open, and none can open it before this goes.
public final class SoleUse: Sendable {
  private let serving: ServeLock
  private let use: FolderUse

  /// - Parameter folder: the store's folder, which exists.
  /// Errors: `locked`, `inUse`.
  public init(folder: String) throws(StoreError) {
    serving = try ServeLock(folder: folder)
    use = try FolderUse(folder, .sole)
  }
}

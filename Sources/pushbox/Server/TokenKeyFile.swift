import Bytes
import Crypto
import Glibc
import Service
import Store

/// The file with the master key under which device tokens are stored: 64 hex digits, made at the first start.
///
/// While the key is being replaced, the next one is in a file beside it, and afterwards the old one.
struct TokenKeyFile {
  let path: String

  private var nextPath: String { path + ".new" }
  /// Where the key before the present one is kept.
  var oldPath: String { path + ".old" }

  /// Reads the key, or makes and syncs a new one when there is no file. Only while there is no store.
  func loadOrCreate() throws(ServerError) -> [UInt8] {
    let advice = "delete it, since there is no store yet, and a new key will be made"
    if let key = try Self.read(path, ifUnusable: advice) { return key }
    // The store's own folder, on the very first start.
    if mkdir(folder, 0o700) == 0 { Self.sync(Self.folder(of: folder)) }
    return try Self.create(path)
  }

  /// Reads the key; without it there is nothing to do.
  func load() throws(ServerError) -> [UInt8] {
    guard let key = try Self.read(path) else {
      throw ServerError(
        "store.token_key_file: there is no \(path); put your copy of the key there, readable by the server's "
          + "user alone, since registrations cannot be read without it")
    }
    return key
  }

  /// The key of a rotation that did not end; nil when there is none.
  func loadNext() throws(ServerError) -> [UInt8]? { try Self.read(nextPath) }

  /// Makes the key that will follow.
  func createNext() throws(ServerError) -> [UInt8] {
    unlink(nextPath)
    return try Self.create(nextPath)
  }

  /// Puts the next key in place of the present one, which is kept beside it.
  func adoptNext() throws(ServerError) {
    unlink(oldPath)
    guard link(path, oldPath) == 0 else { throw Self.failure("cannot be made", oldPath) }
    guard rename(nextPath, path) == 0 else { throw Self.failure("cannot be replaced", path) }
    Self.sync(folder)
  }

  private var folder: String { Self.folder(of: path) }

  private static func folder(of path: String) -> String {
    let folder = String(path.lastIndex(of: "/").map { path[..<$0] } ?? ".")
    return folder.isEmpty ? "/" : folder
  }

  /// nil when there is no such file.
  ///
  /// - Parameter advice: what to do about a file without a key.
  private static func read(
    _ path: String,
    ifUnusable advice: String = "restore it from your copy, since the registrations cannot be read without it"
  ) throws(ServerError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT else { throw failure("cannot be read", path) }
      return nil
    }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(file, &buffer, buffer.count)
    guard count >= 0 else { throw failure("cannot be read", path) }
    let digits = buffer.prefix(count).filter { $0 > 0x20 }
    guard let key = Hex.decode(digits.span), key.count == StoreCipher.keyByteCount else {
      throw ServerError("store.token_key_file: \(path) does not hold 64 hex digits; \(advice)")
    }
    return key
  }

  private static func create(_ path: String) throws(ServerError) -> [UInt8] {
    let key: [UInt8]
    do throws(CryptoError) {
      key = try Random.bytes(StoreCipher.keyByteCount)
    } catch {
      throw ServerError("no random bytes: \(error)")
    }
    let text = Array((Hex.encode(key) + "\n").utf8)
    do throws(StoreError) {
      // A start that is killed here must not leave half a key, and a key that is lost with the power would take every
      // registration with it.
      let file = try NewFile(path)
      try file.write(text)
      try file.finish()
    } catch {
      throw ServerError("store.token_key_file: \(path) cannot be made: \(error)")
    }
    return key
  }

  private static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func failure(_ what: String, _ path: String) -> ServerError {
    ServerError("store.token_key_file: \(path) \(what): \(String(cString: strerror(errno)))")
  }
}

import Bytes
import Crypto
import Glibc
import Service

/// The file with the master key under which device tokens are stored: 64 hex digits, made at the first start.
enum TokenKeyFile {
  /// Reads the key, or makes and syncs a new one when there is no file.
  static func loadOrCreate(_ path: String) throws(ServerError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT else { throw failure("cannot be read", path) }
      return try create(path)
    }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(file, &buffer, buffer.count)
    guard count >= 0 else { throw failure("cannot be read", path) }
    let digits = buffer.prefix(count).filter { $0 > 0x20 }
    guard let key = Hex.decode(digits.span), key.count == StoreCipher.keyByteCount else {
      throw ServerError(
        "store.token_key_file: \(path) does not hold 64 hex digits; restore it from your copy, since the "
          + "registrations cannot be read without it")
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
    let folder = String(path.lastIndex(of: "/").map { path[..<$0] } ?? ".")
    // The store's own folder, on the very first start.
    mkdir(folder.isEmpty ? "/" : folder, 0o700)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("cannot be made", path) }
    defer { close(file) }
    let text = Array((Hex.encode(key) + "\n").utf8)
    guard write(file, text, text.count) == text.count, fsync(file) == 0 else {
      let error = failure("cannot be written", path)
      unlink(path)
      throw error
    }
    // A key that is lost with the power would take every registration with it.
    let parent = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    if parent >= 0 {
      fsync(parent)
      close(parent)
    }
    return key
  }

  private static func failure(_ what: String, _ path: String) -> ServerError {
    ServerError("store.token_key_file: \(path) \(what): \(String(cString: strerror(errno)))")
  }
}

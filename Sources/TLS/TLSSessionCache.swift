import Bytes
import COpenSSL

/// The newest TLS session for each server name, so that the next connection can resume it (RFC 8446 section
/// 2.2): one round trip and no certificate less. Any thread.
final class TLSSessionCache: Sendable {
  private final class Session: @unchecked Sendable {
    // Safe to share: OpenSSL counts references atomically, and a session is not changed once it is complete.
    let pointer: OpaquePointer

    init(adopting pointer: OpaquePointer) { self.pointer = pointer }
    deinit { SSL_SESSION_free(pointer) }
  }

  private let sessions = Locked<[String: Session]>([:])

  /// Keeps `session`, a reference of the caller's.
  func keep(_ session: OpaquePointer, for serverName: String) {
    let session = Session(adopting: session)
    sessions.withLock { $0[serverName] = session }
  }

  /// Lets `ssl`, which has yet to begin, resume the last session with `serverName`.
  func resume(_ ssl: OpaquePointer, for serverName: String) {
    let session: Session? = sessions.withLock { sessions in
      guard let session = sessions[serverName] else { return nil }
      // A ticket of TLS 1.3 is for one use (RFC 8446 section C.4).
      if SSL_SESSION_get_protocol_version(session.pointer) >= TLS1_3_VERSION { sessions[serverName] = nil }
      return session
    }
    if let session { SSL_set_session(ssl, session.pointer) }
  }
}

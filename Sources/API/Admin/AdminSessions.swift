import Bytes
import Crypto

/// Who is signed in. In memory: a restart ends every session. Any thread.
final class AdminSessions: Sendable {
  struct Session: Sendable, Equatable {
    let csrfToken: String
    /// Milliseconds since the epoch.
    let expiresAt: UInt64
  }

  private struct Content {
    /// By the hash of the ID, so that looking one up tells nothing by the time that it takes.
    var sessions: [[UInt8]: Session] = [:]
    /// The password that they were begun with.
    var password: PasswordHash?
  }

  private static let limit = 1000
  private static let secretByteCount = 32
  private let content = Locked(Content())

  /// Ends every session when the password is another one than before.
  func use(_ password: PasswordHash?) {
    content.withLock { content in
      guard content.password != password else { return }
      content.password = password
      content.sessions = [:]
    }
  }

  /// Begins a session, whose ID goes into the cookie.
  ///
  /// - Parameter now: milliseconds since the epoch.
  func begin(ttl: UInt64, now: UInt64) throws(CryptoError) -> (id: String, session: Session) {
    let id = Hex.encode(try Random.bytes(Self.secretByteCount))
    let session = Session(
      csrfToken: Hex.encode(try Random.bytes(Self.secretByteCount)), expiresAt: now + ttl * 1000)
    content.withLock { content in
      content.sessions = content.sessions.filter { $0.value.expiresAt > now }
      if content.sessions.count >= Self.limit,
        let oldest = content.sessions.min(by: { $0.value.expiresAt < $1.value.expiresAt })
      {
        content.sessions[oldest.key] = nil
      }
      content.sessions[Self.key(id)] = session
    }
    return (id, session)
  }

  /// The session with this ID; nil when there is none or its time is over.
  func session(_ id: String, now: UInt64) -> Session? {
    let key = Self.key(id)
    return content.withLock { content in
      guard let session = content.sessions[key] else { return nil }
      guard session.expiresAt > now else {
        content.sessions[key] = nil
        return nil
      }
      return session
    }
  }

  func end(_ id: String) {
    let key = Self.key(id)
    content.withLock { $0.sessions[key] = nil }
  }

  private static func key(_ id: String) -> [UInt8] { SHA256.hash(Array(id.utf8)) }
}

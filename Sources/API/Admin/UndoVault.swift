import Bytes
import Crypto
import Store

/// Registrations that were just deleted, so that they can be put back. In memory only, with their device tokens, which
/// never leave the server. Any thread.
final class UndoVault: Sendable {
  private struct Entry {
    var record: ClientRecord
    /// Milliseconds since the epoch.
    var expiresAt: UInt64
  }

  /// Milliseconds.
  static let lifetime: UInt64 = 600_000
  private static let limit = 1000
  private static let idByteCount = 16
  private let entries = Locked<[String: Entry]>([:])

  /// Keeps a registration; its ID and until when it is kept.
  func keep(_ record: ClientRecord, now: UInt64) throws(CryptoError) -> (id: String, expiresAt: UInt64) {
    let id = Hex.encode(try Random.bytes(Self.idByteCount))
    let entry = Entry(record: record, expiresAt: now + Self.lifetime)
    entries.withLock { entries in
      entries = entries.filter { $0.value.expiresAt > now }
      if entries.count >= Self.limit,
        let oldest = entries.min(by: { $0.value.expiresAt < $1.value.expiresAt })
      {
        entries[oldest.key] = nil
      }
      entries[id] = entry
    }
    return (id, entry.expiresAt)
  }

  /// The registration kept under `id` if it is `client`'s; it is kept on.
  func record(_ id: String, of client: ClientKey, now: UInt64) -> ClientRecord? {
    entries.withLock { entries in
      guard let entry = entries[id], entry.expiresAt > now, entry.record.summary.key == client else {
        return nil
      }
      return entry.record
    }
  }

  func forget(_ id: String) {
    entries.withLock { $0[id] = nil }
  }

  /// Lets go of what is past its time.
  func sweep(now: UInt64) {
    entries.withLock { $0 = $0.filter { $0.value.expiresAt > now } }
  }
}

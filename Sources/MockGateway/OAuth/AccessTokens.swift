import Bytes
import Crypto

/// The access tokens that were issued. Loop-owned.
final class AccessTokens {
  /// Expired ones are thrown away when so many are there.
  private static let sweepAt = 1000

  /// When each one expires, in seconds since the epoch.
  private var expirations: [String: UInt64] = [:]

  /// A new token, valid for `lifetime` seconds.
  func issue(now: UInt64, lifetime: UInt64) throws(CryptoError) -> String {
    if expirations.count >= Self.sweepAt { expirations = expirations.filter { $0.value > now } }
    let token = "ya29.mock-" + Base64.encode(try Random.bytes(32), .url)
    expirations[token] = now + lifetime
    return token
  }

  func isValid(_ token: String, now: UInt64) -> Bool {
    guard let expiration = expirations[token] else { return false }
    return now < expiration
  }

  func revokeAll() {
    expirations = [:]
  }
}

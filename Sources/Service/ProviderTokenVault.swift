import Gateways
import Store
import Telemetry

/// Keeps APNs' provider tokens across restarts, sealed like device tokens: Apple throttles a provider that
/// presents a new one with each start of a crash loop.
public struct ProviderTokenVault: Sendable {
  private static let version: UInt8 = 1
  private static let prefix = "apns-provider-token/"
  /// Seconds for which Apple takes a token (Apple, "Establishing a token-based connection to APNs").
  private static let lifetime: UInt64 = 3600
  /// Version and time of issue.
  private static let headerByteCount = 9

  private let store: Store
  private let cipher: StoreCipher
  private let log: Log

  public init(store: Store, cipher: StoreCipher, log: Log) {
    self.store = store
    self.cipher = cipher
    self.log = log
  }

  /// The last token of this team and key; nil when there is none that can be read. Blocks: for start only.
  public func load(teamID: String, keyID: String) -> APNsProviderToken.Snapshot? {
    let name = Self.settingName(teamID, keyID)
    do {
      guard let sealed = try store.makeReader().setting(name) else { return nil }
      return Self.decode(try cipher.open(sealed.span, context: Array(name.utf8)))
    } catch {
      log.warning("the provider token of the last run cannot be read", ["error": "\(error)"])
      return nil
    }
  }

  /// Keeps a token; any thread. A failure is logged: the token serves without being kept.
  public func save(_ snapshot: APNsProviderToken.Snapshot, teamID: String, keyID: String) {
    let name = Self.settingName(teamID, keyID)
    let log = self.log
    do throws(TokenCipherError) {
      let sealed = try cipher.seal(Self.encode(snapshot), context: Array(name.utf8))
      store.setSetting(name, to: sealed) { result in
        if case .failure(let error) = result { Self.warn(log, "\(error)") }
      }
    } catch {
      Self.warn(log, error.detail)
    }
  }

  /// Removes tokens that are of no use any more: those that Apple no longer takes for their age, of whatever
  /// team and key, and those that cannot be read. Any thread; blocks for a read.
  ///
  /// - Parameter now: seconds since the epoch.
  public func removeExpired(now: UInt64) {
    let log = self.log
    do throws(StoreError) {
      let reader = try store.makeReader()
      for name in try reader.settingNames(prefix: Self.prefix) {
        if let sealed = try reader.setting(name), let issuedAt = issueTime(sealed, name),
          now < issuedAt + Self.lifetime
        {
          continue
        }
        store.setSetting(name, to: nil) { result in
          if case .failure(let error) = result {
            log.warning("an old provider token was not removed", ["error": "\(error)"])
          }
        }
      }
    } catch {
      log.warning("old provider tokens were not looked for", ["error": "\(error)"])
    }
  }

  private func issueTime(_ sealed: [UInt8], _ name: String) -> UInt64? {
    guard let bytes = try? cipher.open(sealed.span, context: Array(name.utf8)) else { return nil }
    return Self.decode(bytes)?.issuedAt
  }

  private static func warn(_ log: Log, _ error: String) {
    log.warning(
      "the provider token is not kept: a restart makes a new one, which APNs throttles when it happens often",
      ["error": .string(error)])
  }

  private static func settingName(_ teamID: String, _ keyID: String) -> String {
    "\(prefix)\(teamID)/\(keyID)"
  }

  static func encode(_ snapshot: APNsProviderToken.Snapshot) -> [UInt8] {
    withUnsafeBytes(of: snapshot.issuedAt.bigEndian) { [version] + $0 + snapshot.token }
  }

  static func decode(_ bytes: [UInt8]) -> APNsProviderToken.Snapshot? {
    guard bytes.count > headerByteCount, bytes[0] == version else { return nil }
    let issuedAt = bytes[1..<headerByteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return APNsProviderToken.Snapshot(issuedAt: issuedAt, token: Array(bytes[headerByteCount...]))
  }
}

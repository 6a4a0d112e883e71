import Gateways
import Store
import Telemetry

/// Keeps APNs' provider tokens across restarts, sealed like device tokens: Apple throttles a provider that
/// presents a new one with each start of a crash loop.
public struct ProviderTokenVault: Sendable {
  private static let version: UInt8 = 1
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

  private static func warn(_ log: Log, _ error: String) {
    log.warning(
      "the provider token is not kept: a restart makes a new one, which APNs throttles when it happens often",
      ["error": .string(error)])
  }

  private static func settingName(_ teamID: String, _ keyID: String) -> String {
    "apns-provider-token/\(teamID)/\(keyID)"
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

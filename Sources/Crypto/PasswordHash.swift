import Bytes
import COpenSSL

/// A password as scrypt (RFC 7914) leaves it, in the PHC string format: `$scrypt$ln=15,r=8,p=3$SALT$HASH`, both in
/// base64 without padding.
public struct PasswordHash: Sendable, Equatable {
  /// What one guess costs: memory is 128 × 2^`logN` × `r` bytes.
  public struct Cost: Sendable, Equatable {
    public var logN: Int
    public var r: Int
    public var p: Int

    /// As OWASP's "Password Storage Cheat Sheet" advises for 32 MiB.
    public static let standard = Cost(logN: 15, r: 8, p: 3)

    public init(logN: Int, r: Int, p: Int) {
      self.logN = logN
      self.r = r
      self.p = p
    }

    /// Bytes that a check needs.
    fileprivate var memory: UInt64 { 128 * UInt64(r) << UInt64(logN) }

    /// Neither trivial nor a way to exhaust the machine.
    fileprivate var isUsable: Bool {
      (1...20).contains(logN) && (1...32).contains(r) && (1...16).contains(p) && memory <= Self.maximumMemory
    }

    fileprivate static let maximumMemory: UInt64 = 256 << 20
  }

  private let cost: Cost
  private let salt: [UInt8]
  private let hash: [UInt8]
  private static let saltByteCount = 16
  private static let hashByteCount = 32

  /// Reads what `text` gives; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
      let cost = Self.cost(parts[2]), cost.isUsable,
      let salt = Base64.decode(Self.padded(parts[3]).utf8), (8...64).contains(salt.count),
      let hash = Base64.decode(Self.padded(parts[4]).utf8), (16...64).contains(hash.count)
    else { return nil }
    self.cost = cost
    self.salt = salt
    self.hash = hash
  }

  /// Hashes a password with a fresh salt. Takes a good part of a second.
  public init(of password: String, cost: Cost = .standard) throws(CryptoError) {
    guard cost.isUsable else { throw .openSSL(operation: "scrypt", reason: "the cost is out of bounds") }
    self.cost = cost
    salt = try Random.bytes(Self.saltByteCount)
    hash = try Self.derive(password, salt, cost, count: Self.hashByteCount)
  }

  /// For the configuration.
  public var text: String {
    func unpadded(_ bytes: [UInt8]) -> String {
      String(Base64.encode(bytes).prefix { $0 != "=" })
    }
    return "$scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)$\(unpadded(salt))$\(unpadded(hash))"
  }

  /// Whether `password` is the one. Takes a good part of a second: not on an event loop.
  public func matches(_ password: String) -> Bool {
    guard let derived = try? Self.derive(password, salt, cost, count: hash.count) else { return false }
    return constantTimeEqual(derived, hash)
  }

  private static func derive(
    _ password: String, _ salt: [UInt8], _ cost: Cost, count: Int
  ) throws(CryptoError) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: count)
    var password = password
    // Some room beyond the two large arrays for what else it needs.
    let code = password.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) { text in
        EVP_PBE_scrypt(
          text.baseAddress, text.count, salt, salt.count, 1 << UInt64(cost.logN), UInt64(cost.r),
          UInt64(cost.p), cost.memory + (8 << 20), &out, count)
      }
    }
    guard code == 1 else { throw .fromOpenSSL("scrypt") }
    return out
  }

  private static func cost(_ text: Substring) -> Cost? {
    var numbers: [Substring: Int] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", omittingEmptySubsequences: false)
      guard pair.count == 2, pair[1].utf8.count <= 3, let number = Int(pair[1]) else { return nil }
      numbers[pair[0]] = number
    }
    guard numbers.count == 3, let logN = numbers["ln"], let r = numbers["r"], let p = numbers["p"] else {
      return nil
    }
    return Cost(logN: logN, r: r, p: p)
  }

  private static func padded(_ text: Substring) -> String {
    String(text) + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }
}

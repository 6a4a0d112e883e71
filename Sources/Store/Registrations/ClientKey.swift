/// Names one client of one app: what a registration is stored under.
public struct ClientKey: Hashable, Sendable {
  /// The app of a server that serves one.
  public static let defaultApp = "default"
  /// Bytes an app ID may have.
  public static let maximumAppBytes = 64
  /// Bytes a client ID may have (the Rust push server's column holds 255 characters).
  public static let maximumClientBytes = 255

  /// App ID, a zero byte, client ID: what a sealed token is bound to and what push counts are kept under. The
  /// registrations are stored under a shorter form (`StoredKey`).
  let bytes: [UInt8]
  let appLength: Int

  /// Errors: `invalidValue` when an ID is empty or too long or the app ID contains a zero byte.
  public init(app: String = defaultApp, client: String) throws(StoreError) {
    try self.init(app: app, client: Array(client.utf8).span)
  }

  /// The same from the client ID's bytes.
  public init(app: String = defaultApp, client: Span<UInt8>) throws(StoreError) {
    guard !client.isEmpty else { throw .invalidValue("the client ID is empty") }
    guard client.count <= Self.maximumClientBytes else {
      throw .invalidValue(
        "the client ID has \(client.count) bytes, at most \(Self.maximumClientBytes) are allowed")
    }
    try Self.check(app: app)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(app.utf8.count + 1 + client.count)
    bytes.append(contentsOf: app.utf8)
    bytes.append(0)
    client.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    self.init(identity: bytes, appLength: app.utf8.count)
  }

  /// - Parameter identity: what `bytes` holds, known to be right.
  init(identity: [UInt8], appLength: Int) {
    bytes = identity
    self.appLength = appLength
  }

  public var appID: String { String(decoding: bytes[..<appLength], as: UTF8.self) }
  public var clientID: String { String(decoding: bytes[(appLength + 1)...], as: UTF8.self) }

  /// Errors: `invalidValue`.
  static func check(app: String) throws(StoreError) {
    let length = app.utf8.count
    guard length > 0, length <= maximumAppBytes, !app.utf8.contains(0) else {
      throw .invalidValue("the app ID must have 1 to \(maximumAppBytes) bytes and no zero byte")
    }
  }
}

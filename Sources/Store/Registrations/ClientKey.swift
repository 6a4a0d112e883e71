/// Names one client of one app: what a registration is stored under.
public struct ClientKey: Hashable, Sendable {
  /// Bytes an app ID may have.
  public static let maximumAppBytes = 64
  /// Bytes a client ID may have (the Rust push server's column holds 255 characters).
  public static let maximumClientBytes = 255

  /// App ID, a zero byte, client ID: at most 320 bytes, within LMDB's limit of 511.
  let bytes: [UInt8]
  private let appLength: Int

  /// Errors: `invalidValue` when an ID is empty or too long or the app ID contains a zero byte.
  public init(app: String = "default", client: String) throws(StoreError) {
    try self.init(app: app, client: Array(client.utf8).span)
  }

  /// The same from the client ID's bytes.
  public init(app: String = "default", client: Span<UInt8>) throws(StoreError) {
    guard !client.isEmpty else { throw .invalidValue("the client ID is empty") }
    guard client.count <= Self.maximumClientBytes else {
      throw .invalidValue(
        "the client ID has \(client.count) bytes, at most \(Self.maximumClientBytes) are allowed")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(app.utf8.count + 1 + client.count)
    try Self.appendApp(app, to: &bytes)
    appLength = bytes.count - 1
    client.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    self.bytes = bytes
  }

  /// A key as it was stored; nil when it is none.
  init?(stored: Span<UInt8>) {
    var zero = 0
    while zero < stored.count, stored[zero] != 0 { zero += 1 }
    guard zero > 0, zero + 1 < stored.count else { return nil }
    bytes = [UInt8](copying: stored)
    appLength = zero
  }

  public var appID: String { String(decoding: bytes[..<appLength], as: UTF8.self) }
  public var clientID: String { String(decoding: bytes[(appLength + 1)...], as: UTF8.self) }

  /// What every key of `app` begins with.
  static func prefix(app: String) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    try appendApp(app, to: &bytes)
    return bytes
  }

  private static func appendApp(_ app: String, to bytes: inout [UInt8]) throws(StoreError) {
    let length = app.utf8.count
    guard length > 0, length <= maximumAppBytes, !app.utf8.contains(0) else {
      throw .invalidValue("the app ID must have 1 to \(maximumAppBytes) bytes and no zero byte")
    }
    bytes.append(contentsOf: app.utf8)
    bytes.append(0)
  }
}

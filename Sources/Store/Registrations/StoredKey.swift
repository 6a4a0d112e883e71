import Bytes

/// A client key as the tables of the `registrations` environment have it: short, as every page of keys is read at
/// each look-up and written at each registration.
///
/// The app ID and a zero byte (the zero byte alone for the app `default`), then the client ID: its bytes, or for the
/// text of an Ed25519 key the byte FF and the 32 bytes of the key. No client ID begins with FE or FF, which are not
/// in UTF-8; should one all the same, it follows a byte FE. So there is one stored key for each client key, of at
/// most 321 bytes (LMDB's limit is 511); they are in the order of the client IDs, Ed25519 keys after all others.
struct StoredKey: Equatable, Sendable {
  let bytes: [UInt8]

  /// - Parameter bytes: as they were read from a table.
  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  fileprivate static let ed25519: UInt8 = 0xFF
  fileprivate static let escape: UInt8 = 0xFE
  private static let defaultApp = Array(ClientKey.defaultApp.utf8)

  init(_ key: ClientKey) {
    let identity = key.bytes.span
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1 + max(Ed25519Multibase.keyLength + 1, key.bytes.count))
    Self.append(app: identity.extracting(..<key.appLength), to: &bytes)
    Self.append(client: identity.extracting((key.appLength + 1)...), to: &bytes)
    self.bytes = bytes
  }

  fileprivate static func append(app: Span<UInt8>, to bytes: inout [UInt8]) {
    if app.count != defaultApp.count || !app.hasPrefix(defaultApp) {
      app.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }
    bytes.append(0)
  }

  fileprivate static func append(client: Span<UInt8>, to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(ed25519)
    if Ed25519Multibase.appendKey(of: client, to: &bytes) { return }
    bytes.removeLast(bytes.count - start)
    append(text: client, to: &bytes)
  }

  fileprivate static func append(text: Span<UInt8>, to bytes: inout [UInt8]) {
    if !text.isEmpty, text[0] >= escape { bytes.append(escape) }
    text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }
}

/// Stored keys from `start` up to, but without, `end`.
struct StoredKeyRange: Equatable {
  var start: [UInt8]
  var end: [UInt8]

  func isPast(_ key: Span<UInt8>) -> Bool {
    for index in 0..<min(key.count, end.count) where key[index] != end[index] {
      return key[index] > end[index]
    }
    return key.count >= end.count
  }
}

extension StoredKey {
  /// Where the clients of `app` are whose ID begins with `prefix`, after the client ID `last`: ranges in the order of
  /// their keys, perhaps empty ones. Errors: `invalidValue` for an app ID that can't be one.
  static func ranges(
    app: String, prefix: String, after last: String?
  ) throws(StoreError) -> [StoredKeyRange] {
    var base: [UInt8] = []
    try ClientKey.check(app: app)
    append(app: Array(app.utf8).span, to: &base)
    let wanted = Array(prefix.utf8)
    var texts = textRange(base, wanted)
    var keys = keyRange(base, wanted)
    if let last {
      var stored = base
      append(client: Array(last.utf8).span, to: &stored)
      // The least key above `last`: itself and a zero byte. Beyond LMDB's limit nothing follows but keys that differ
      // earlier: cutting off changes nothing.
      stored = Array((stored + [0]).prefix(511))
      texts.start = later(stored, texts.start)
      if let start = keys?.start { keys?.start = later(stored, start) }
    }
    return keys.map { [texts, $0] } ?? [texts]
  }

  private static func later(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
    one.lexicographicallyPrecedes(other) ? other : one
  }

  private static func textRange(_ base: [UInt8], _ prefix: [UInt8]) -> StoredKeyRange {
    guard !prefix.isEmpty else { return StoredKeyRange(start: base, end: base + [ed25519]) }
    var start = base
    append(text: prefix.span, to: &start)
    // The least that has another byte than the prefix; `base` ends with a zero, so there is one.
    var end = start
    while let byte = end.popLast() {
      guard byte == .max else {
        end.append(byte + 1)
        break
      }
    }
    return StoredKeyRange(start: Array(start.prefix(511)), end: end)
  }

  private static func keyRange(_ base: [UInt8], _ prefix: [UInt8]) -> StoredKeyRange? {
    Ed25519Multibase.bounds(ofPrefix: prefix.span).map { bounds in
      StoredKeyRange(start: base + [ed25519] + bounds.least, end: base + [ed25519] + bounds.greatest + [0])
    }
  }
}

extension ClientKey {
  /// The key that was stored as `bytes`; nil when it is none.
  init?(stored bytes: Span<UInt8>) {
    var zero = 0
    while zero < bytes.count, bytes[zero] != 0 { zero += 1 }
    let start = zero + 1
    guard start < bytes.count else { return nil }
    var identity: [UInt8] = []
    identity.reserveCapacity(bytes.count + Ed25519Multibase.textLength)
    if zero == 0 {
      identity.append(contentsOf: Self.defaultApp.utf8)
    } else {
      bytes.extracting(..<zero).withUnsafeBufferPointer { identity.append(contentsOf: $0) }
    }
    let appLength = identity.count
    identity.append(0)
    switch bytes[start] {
    case StoredKey.ed25519:
      let key = bytes.extracting((start + 1)...)
      guard Ed25519Multibase.appendText(of: key, to: &identity) else { return nil }
    case let first:
      let text = bytes.extracting((first == StoredKey.escape ? start + 1 : start)...)
      guard !text.isEmpty else { return nil }
      text.withUnsafeBufferPointer { identity.append(contentsOf: $0) }
    }
    self.init(identity: identity, appLength: appLength)
  }
}

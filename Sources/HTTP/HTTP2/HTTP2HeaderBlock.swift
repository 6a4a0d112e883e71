import CNghttp2

/// Gathers the fields of one header block in the form the library takes. Kept and used again, so that
/// a request costs no allocation here.
struct HTTP2HeaderBlock {
  private struct Entry {
    let start: Int
    let nameCount: Int
    let valueCount: Int
    let flags: UInt8
  }

  /// Fields whose values never repeat or are secret: kept out of the HPACK dynamic table, where they
  /// would push out the ones that do repeat.
  ///
  /// A list: comparing a name with a few others takes less than hashing it.
  private let neverIndexed: [String]
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  private var vector: [nghttp2_nv] = []

  init(neverIndexed: Set<String>) {
    self.neverIndexed = neverIndexed.sorted()
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }

  mutating func add(_ name: String, _ value: String) {
    let start = bytes.count
    bytes.append(contentsOf: name.utf8)
    let valueStart = bytes.count
    bytes.append(contentsOf: value.utf8)
    let isNeverIndexed = neverIndexed.contains(name)
    entries.append(
      Entry(
        start: start, nameCount: valueStart - start, valueCount: bytes.count - valueStart,
        flags: UInt8(isNeverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0)))
  }

  /// Adds what may travel on HTTP/2: fields that speak of an HTTP/1.1 connection must not
  /// (RFC 9113, section 8.2.2), `host` travels as `:authority`, and `content-length` is ours to set.
  mutating func add(_ fields: HTTPFields) throws(HTTP2Error) {
    for field in fields where !Self.isLeftOut(field.name) {
      guard HTTPCharacters.isSendable(field) else { throw .invalidField(field.name) }
      add(field.name, field.value)
    }
  }

  /// By length first, as nearly all fields differ in that from these.
  private static func isLeftOut(_ name: String) -> Bool {
    switch name.utf8.count {
    case 2: name == "te"
    case 4: name == "host"
    case 7: name == "upgrade"
    case 10: name == "connection" || name == "keep-alive"
    case 14: name == "content-length"
    case 16: name == "proxy-connection"
    case 17: name == "transfer-encoding"
    default: false
    }
  }

  /// Lends the gathered fields to `body`; the library copies them.
  mutating func withVector<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
    vector.removeAll(keepingCapacity: true)
    return bytes.withUnsafeMutableBufferPointer { buffer in
      for entry in entries {
        let name = buffer.baseAddress?.advanced(by: entry.start)
        vector.append(
          nghttp2_nv(
            name: name, value: name?.advanced(by: entry.nameCount), namelen: entry.nameCount,
            valuelen: entry.valueCount, flags: entry.flags))
      }
      return vector.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
  }
}

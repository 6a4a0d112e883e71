/// A 64-bit little-endian ELF file (System V ABI, "Object Files" and "Dynamic Linking"), read for the shared
/// libraries it asks for.
struct ELFFile {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private struct Segment {
    var kind: UInt64
    var offset: Int
    var address: UInt64
    var size: UInt64
  }

  private enum Kind {
    static let load: UInt64 = 1
    static let dynamic: UInt64 = 2
  }

  private enum Tag {
    static let needed: UInt64 = 1
    static let stringTable: UInt64 = 5
  }

  /// The names of DT_NEEDED; nil when this is no such file.
  var neededLibraries: [String]? {
    guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
      let segments, let dynamic = segments.first(where: { $0.kind == Kind.dynamic })
    else { return nil }
    let entries = (0..<Int(dynamic.size / 16)).compactMap { index in
      entry(at: dynamic.offset + 16 * index)
    }
    guard let address = entries.first(where: { $0.tag == Tag.stringTable })?.value,
      let strings = segments.first(where: {
        $0.kind == Kind.load && address >= $0.address && address - $0.address < $0.size
      })
    else { return nil }
    let table = strings.offset + Int(address - strings.address)
    return entries.filter { $0.tag == Tag.needed }.map { string(at: table + Int($0.value)) }
  }

  private var segments: [Segment]? {
    guard let start = integer(at: 32, size: 8), let size = integer(at: 54, size: 2),
      let count = integer(at: 56, size: 2)
    else { return nil }
    return (0..<Int(count)).compactMap { index in
      let header = Int(start) + index * Int(size)
      guard let kind = integer(at: header, size: 4), let offset = integer(at: header + 8, size: 8),
        let address = integer(at: header + 16, size: 8), let size = integer(at: header + 32, size: 8)
      else { return nil }
      return Segment(kind: kind, offset: Int(offset), address: address, size: size)
    }
  }

  private func entry(at offset: Int) -> (tag: UInt64, value: UInt64)? {
    guard let tag = integer(at: offset, size: 8), let value = integer(at: offset + 8, size: 8) else {
      return nil
    }
    return (tag, value)
  }

  private func integer(at offset: Int, size: Int) -> UInt64? {
    guard offset >= 0, offset + size <= bytes.count else { return nil }
    return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func string(at offset: Int) -> String {
    String(decoding: bytes.dropFirst(offset).prefix { $0 != 0 }, as: UTF8.self)
  }
}

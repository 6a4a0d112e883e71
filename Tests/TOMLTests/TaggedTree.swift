/// Just enough of a JSON reader for the files of the vectors and for what `toml-decoder` writes: objects,
/// arrays and strings, of valid JSON.
indirect enum TaggedTree: Equatable {
  case object([String: TaggedTree])
  case array([TaggedTree])
  /// Bytes, since `String` takes canonically equivalent texts for equal.
  case string([UInt8])

  struct Malformed: Error {}

  init(json: [UInt8]) throws {
    var reader = Reader(rest: json[...])
    self = try reader.value().normalized
  }

  /// A scalar with the spelling of its value normalised where the suite compares by meaning.
  private var normalized: TaggedTree {
    switch self {
    case .array(let elements): return .array(elements.map(\.normalized))
    case .object(let members):
      if members.count == 2, members["type"] == .string(Array("float".utf8)),
        case .string(let text)? = members["value"], let value = Double(String(decoding: text, as: UTF8.self))
      {
        return .string(Array("float \(value.isNaN ? .nan : value)".utf8))
      }
      return .object(members.mapValues(\.normalized))
    case .string: return self
    }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func next() throws -> UInt8 {
      guard let byte = rest.popFirst() else { throw Malformed() }
      return byte
    }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
      rest = rest.drop { $0 <= 0x20 }
      guard rest.first == UInt8(ascii: scalar) else { return false }
      rest = rest.dropFirst()
      return true
    }

    mutating func value() throws -> TaggedTree {
      if skip("{") {
        var members: [String: TaggedTree] = [:]
        while !skip("}") {
          let key = String(decoding: try string(), as: UTF8.self)
          guard skip(":") else { throw Malformed() }
          members[key] = try value()
          _ = skip(",")
        }
        return .object(members)
      }
      if skip("[") {
        var elements: [TaggedTree] = []
        while !skip("]") {
          elements.append(try value())
          _ = skip(",")
        }
        return .array(elements)
      }
      return .string(try string())
    }

    mutating func string() throws -> [UInt8] {
      guard skip("\"") else { throw Malformed() }
      var units: [UInt8] = []
      while true {
        let byte = try next()
        switch byte {
        case UInt8(ascii: "\""): return units
        case UInt8(ascii: "\\"): units += String(try escape()).utf8
        default: units.append(byte)
        }
      }
    }

    mutating func escape() throws -> Unicode.Scalar {
      let letter = Unicode.Scalar(try next())
      switch letter {
      case "n": return "\n"
      case "t": return "\t"
      case "r": return "\r"
      case "b": return "\u{8}"
      case "f": return "\u{C}"
      case "u":
        let high = try unit()
        guard high & 0xFC00 == 0xD800 else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
        _ = (try next(), try next())
        let low = try unit()
        return Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}"
      default: return letter
      }
    }

    mutating func unit() throws -> UInt32 {
      let digits = [try next(), try next(), try next(), try next()]
      guard let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else { throw Malformed() }
      return value
    }
  }
}

import Bytes
import TOML

/// The tagged JSON by which the public toml-test suite compares decoders: a scalar becomes
/// `{"type": ..., "value": "..."}`.
enum TaggedJSON {
  /// Appends `table` in the order of the document.
  static func append(_ table: TOMLTable, to out: inout [UInt8]) {
    append(list: table.entries, "{", "}", to: &out) { entry, out in
      append(string: entry.key, to: &out)
      out.append(UInt8(ascii: ":"))
      append(entry.value, to: &out)
    }
  }

  private static func append(_ value: TOMLValue, to out: inout [UInt8]) {
    switch value.content {
    case .string(let value): append("string", value, to: &out)
    case .integer(let value): append("integer", String(value), to: &out)
    case .float(let value): append("float", text(of: value), to: &out)
    case .boolean(let value): append("bool", value ? "true" : "false", to: &out)
    case .offsetDateTime(let value): append("datetime", value.description, to: &out)
    case .localDateTime(let value): append("datetime-local", value.description, to: &out)
    case .localDate(let value): append("date-local", value.description, to: &out)
    case .localTime(let value): append("time-local", value.description, to: &out)
    case .table(let table): append(table, to: &out)
    case .array(let elements): append(list: elements, "[", "]", to: &out) { append($0, to: &$1) }
    }
  }

  private static func text(of value: Double) -> String {
    // The sign of a NaN carries no meaning, and the suite wants none.
    if value.isNaN { return "nan" }
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func append(_ type: String, _ value: String, to out: inout [UInt8]) {
    out += "{\"type\":\"\(type)\",\"value\":".utf8
    append(string: value, to: &out)
    out.append(UInt8(ascii: "}"))
  }

  private static func append(string: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: out += "\\u00\(Hex.encode([byte]))".utf8
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }

  private static func append<Element>(
    list: [Element], _ open: Unicode.Scalar, _ close: Unicode.Scalar, to out: inout [UInt8],
    _ element: (Element, inout [UInt8]) -> Void
  ) {
    out.append(UInt8(ascii: open))
    for (index, item) in list.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      element(item, &out)
    }
    out.append(UInt8(ascii: close))
  }
}

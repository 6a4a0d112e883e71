/// Fields of a CSV record (RFC 4180 section 2).
enum CSV {
  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")

  /// Appends a field, in quotes where it needs them.
  static func append(_ field: String, to out: inout [UInt8]) {
    let needsQuotes = field.utf8.contains { $0 == quote || $0 == comma || $0 < 0x20 }
    guard needsQuotes else { return out.append(contentsOf: field.utf8) }
    out.append(quote)
    for byte in field.utf8 {
      if byte == quote { out.append(quote) }
      out.append(byte)
    }
    out.append(quote)
  }

  /// The fields of a record without its line end.
  static func fields(_ record: [UInt8]) throws(TransferError) -> [String] {
    var fields: [String] = []
    var position = 0
    while true {
      let field = try Self.field(record, &position)
      guard let text = String(validating: field, as: UTF8.self) else {
        throw TransferError("is not UTF-8")
      }
      fields.append(text)
      guard position < record.count else { return fields }
      // At a comma, after which there is another field, be it empty.
      position += 1
    }
  }

  /// Reads one field and stops at the comma after it or at the end.
  private static func field(_ record: [UInt8], _ position: inout Int) throws(TransferError) -> [UInt8] {
    guard position < record.count, record[position] == quote else {
      let end = record[position...].firstIndex(of: comma) ?? record.count
      defer { position = end }
      let plain = record[position..<end]
      guard !plain.contains(quote) else { throw TransferError("has a quote within an unquoted field") }
      return Array(plain)
    }
    position += 1
    var field: [UInt8] = []
    while position < record.count {
      let byte = record[position]
      position += 1
      guard byte == quote else {
        field.append(byte)
        continue
      }
      if position < record.count, record[position] == quote {
        field.append(quote)
        position += 1
        continue
      }
      guard position == record.count || record[position] == comma else {
        throw TransferError("has text after a closing quote")
      }
      return field
    }
    throw TransferError("has a quoted field that does not end")
  }
}

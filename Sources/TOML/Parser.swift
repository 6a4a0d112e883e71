/// Reads TOML 1.0.0 (https://toml.io/en/v1.0.0).
public enum TOMLDocument {
  /// Nesting allowed by default: tables and arrays within one another.
  public static let defaultMaximumDepth = 128

  /// The tree of `text`, which is UTF-8 with or without a byte order mark. Takes time linear in the length of
  /// `text`, and stack in proportion to `maximumDepth`. Throws the first error.
  public static func parse(
    _ text: [UInt8], maximumDepth: Int = defaultMaximumDepth
  ) throws(TOMLError) -> TOMLTable {
    do {
      try TextValidation.check(text)
      var parser = Parser(text, limit: DepthLimit(maximum: maximumDepth))
      return try parser.parseDocument()
    } catch {
      throw error.locating(in: text)
    }
  }

  /// The tree of `text`, as for an array of bytes.
  public static func parse(
    _ text: Span<UInt8>, maximumDepth: Int = defaultMaximumDepth
  ) throws(TOMLError) -> TOMLTable {
    try parse(text.withUnsafeBufferPointer { Array($0) }, maximumDepth: maximumDepth)
  }
}

/// Bounds the nesting, and so the stack that a document can make us use.
struct DepthLimit {
  let maximum: Int

  func check(_ depth: Int, at position: TOMLPosition) throws(TOMLError) {
    if depth > maximum { throw exceeded(at: position) }
  }

  func exceeded(at position: TOMLPosition) -> TOMLError {
    TOMLError("tables and arrays are nested more than \(maximum) levels deep", at: position)
  }
}

/// Recursive descent over a text that `TextValidation` has passed.
private struct Parser {
  private var cursor: Cursor
  private var builder: TableBuilder
  private let limit: DepthLimit

  init(_ text: [UInt8], limit: DepthLimit) {
    cursor = Cursor(text)
    builder = TableBuilder(at: cursor.position, depth: 0, limit: limit)
    self.limit = limit
  }

  mutating func parseDocument() throws(TOMLError) -> TOMLTable {
    var table = TableBuilder.root
    while true {
      cursor.skipTrivia()
      guard let byte = cursor.peek else { break }
      if byte == ASCII.openBracket {
        table = try parseHeader()
      } else {
        let (path, value) = try parsePair(depth: builder.depth(of: table))
        try builder.insert(value, at: path, in: table)
      }
      try expectLineEnd()
    }
    return builder.finish()
  }

  private mutating func expectLineEnd() throws(TOMLError) {
    cursor.skipBlanks()
    cursor.skipComment()
    guard cursor.isAtEnd || cursor.skipNewline() else {
      throw cursor.expected("the end of the line or a comment")
    }
  }

  /// `[a.b]` or `[[a.b]]`; the two brackets of the latter stand together.
  private mutating func parseHeader() throws(TOMLError) -> TableBuilder.NodeID {
    let start = cursor.position
    cursor.advance()
    let isElement = cursor.skip(ASCII.openBracket)
    let path = try cursor.readKey(maximumParts: limit.maximum, depth: limit)
    guard cursor.skip(ASCII.closeBracket) else { throw cursor.expected("']' or '.' in the table header") }
    guard isElement else { return try builder.openTable(path, at: start) }
    guard cursor.skip(ASCII.closeBracket) else {
      throw cursor.expected("']]' at the end of the header of an array of tables")
    }
    return try builder.openElement(path, at: start)
  }

  /// `key = value`, in a table that lies `depth` levels deep.
  private mutating func parsePair(depth: Int) throws(TOMLError) -> (path: KeyPath, value: TOMLValue) {
    let path = try cursor.readKey(maximumParts: limit.maximum - depth + 1, depth: limit)
    guard cursor.skip(ASCII.equals) else { throw cursor.expected("'=' or '.' after the key") }
    cursor.skipBlanks()
    return (path, try parseValue(depth: depth + path.count))
  }

  /// Parses a value; `depth` is how deep it lies if it is an array or a table.
  private mutating func parseValue(depth: Int) throws(TOMLError) -> TOMLValue {
    let start = cursor.position
    let content: TOMLValue.Content
    switch cursor.peek {
    case ASCII.quote, ASCII.apostrophe:
      content = .string(try cursor.readString())
    case ASCII.openBracket:
      try limit.check(depth, at: start)
      content = .array(try parseArray(depth: depth))
    case ASCII.openBrace:
      try limit.check(depth, at: start)
      content = .table(try parseInlineTable(depth: depth))
    default:
      content = try parseScalar()
    }
    return TOMLValue(content, at: start)
  }

  private mutating func parseArray(depth: Int) throws(TOMLError) -> [TOMLValue] {
    let start = cursor.position
    cursor.advance()
    var elements: [TOMLValue] = []
    while true {
      cursor.skipTrivia()
      if cursor.skip(ASCII.closeBracket) { return elements }
      if cursor.isAtEnd { throw unclosed("']' of the array", from: start) }
      elements.append(try parseValue(depth: depth + 1))
      cursor.skipTrivia()
      if cursor.skip(ASCII.comma) { continue }
      if cursor.isAtEnd { throw unclosed("']' of the array", from: start) }
      guard cursor.peek == ASCII.closeBracket else { throw cursor.expected("',' or ']' in the array") }
    }
  }

  /// On one line and without a comma at the end (TOML 1.0.0, "Inline Table").
  private mutating func parseInlineTable(depth: Int) throws(TOMLError) -> TOMLTable {
    let start = cursor.position
    cursor.advance()
    var builder = TableBuilder(at: start, depth: depth, limit: limit)
    cursor.skipBlanks()
    if cursor.skip(ASCII.closeBrace) { return builder.finish() }
    repeat {
      cursor.skipBlanks()
      try checkInlineTable(from: start)
      if cursor.peek == ASCII.closeBrace { throw cursor.expected("a key after ',' in the inline table") }
      let (path, value) = try parsePair(depth: depth)
      try builder.insert(value, at: path, in: TableBuilder.root)
      cursor.skipBlanks()
    } while cursor.skip(ASCII.comma)
    try checkInlineTable(from: start)
    guard cursor.skip(ASCII.closeBrace) else { throw cursor.expected("',' or '}' in the inline table") }
    return builder.finish()
  }

  private func checkInlineTable(from start: TOMLPosition) throws(TOMLError) {
    if cursor.isAtEnd { throw unclosed("'}' of the inline table", from: start) }
    if cursor.isAtNewline || cursor.peek == ASCII.hash {
      throw cursor.error(
        "found \(cursor.found), but an inline table ends on the line where it begins; use a [table] instead")
    }
  }

  private func unclosed(_ closer: String, from start: TOMLPosition) -> TOMLError {
    TOMLError("found the end of the text, expected the closing \(closer) begun here", at: start)
  }

  /// A number, a boolean, a date or a time.
  private mutating func parseScalar() throws(TOMLError) -> TOMLValue.Content {
    if cursor.isAtDate { return try cursor.readDateTime() }
    if cursor.isAtTime { return .localTime(try cursor.readTime()) }
    let start = cursor.position
    let end = cursor.endOfLiteral
    if let integer = Numbers.plainInteger(cursor.bytes, start.offset..<end) {
      cursor.skipLiteral(to: end)
      return .integer(integer)
    }
    let literal = cursor.bytes[start.offset..<end]
    let content: TOMLValue.Content
    if ASCII.isDigit(literal.first) {
      content = try Numbers.parse(literal, at: start)
    } else if literal.elementsEqual("true".utf8) {
      content = .boolean(true)
    } else if literal.elementsEqual("false".utf8) {
      content = .boolean(false)
    } else if looksLikeNumber(literal) {
      content = try Numbers.parse(literal, at: start)
    } else {
      throw cursor.expected("a value (a string needs quotes)")
    }
    cursor.skipLiteral(to: end)
    return content
  }

  /// One that begins with no digit.
  private func looksLikeNumber(_ literal: ArraySlice<UInt8>) -> Bool {
    let signed = literal.first == ASCII.plus || literal.first == ASCII.minus
    return signed || literal.elementsEqual("inf".utf8) || literal.elementsEqual("nan".utf8)
  }
}

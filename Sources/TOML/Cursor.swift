/// Reads a text byte by byte and knows the line and column.
struct Cursor {
  let bytes: [UInt8]
  private(set) var offset = 0
  private var line = 1
  /// The offset less this is the column: it counts the bytes before the line, and in the line those that continue
  /// a character.
  private var columnBase = -1

  /// Starts after a byte order mark.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: ASCII.byteOrderMark) {
      offset = 3
      columnBase = 2
    }
  }

  var position: TOMLPosition {
    TOMLPosition(line: line, column: offset - columnBase, offset: offset)
  }

  /// The byte here; nil at the end.
  var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// The byte `distance` further; nil past the end.
  func peek(_ distance: Int) -> UInt8? {
    offset + distance < bytes.count ? bytes[offset + distance] : nil
  }

  var isAtEnd: Bool { offset >= bytes.count }

  /// Whether a line end (LF or CRLF) is here.
  var isAtNewline: Bool {
    peek == ASCII.lineFeed || (peek == ASCII.carriageReturn && peek(1) == ASCII.lineFeed)
  }

  func starts(with byte: UInt8, times count: Int) -> Bool {
    offset + count <= bytes.count && bytes[offset..<offset + count].allSatisfy { $0 == byte }
  }

  /// The text of `range`; without a slice, which would count a reference each time.
  func text(_ range: Range<Int>) -> String {
    bytes.withUnsafeBufferPointer {
      String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
    }
  }

  /// Steps over one byte.
  mutating func advance() {
    guard let byte = peek else { return }
    if byte == ASCII.lineFeed {
      line += 1
      columnBase = offset
    } else if byte & 0xC0 == 0x80 {
      columnBase += 1
    }
    offset += 1
  }

  mutating func advance(by count: Int) {
    for _ in 0..<count { advance() }
  }

  /// Steps over the characters of a bare key.
  mutating func skipBareKey() {
    var index = offset
    while index < bytes.count, ASCII.isBareKey(bytes[index]) { index += 1 }
    offset = index
  }

  /// Where the characters end of which numbers and names of values consist.
  var endOfLiteral: Int {
    var index = offset
    while index < bytes.count,
      ASCII.isBareKey(bytes[index]) || bytes[index] == ASCII.plus || bytes[index] == ASCII.dot
    { index += 1 }
    return index
  }

  /// Steps over a literal, which is ASCII on one line.
  mutating func skipLiteral(to end: Int) { offset = end }

  /// Steps over text up to one of two bytes, or to the end of the line unless `acrossLines`, or of the text.
  mutating func skipText(until first: UInt8, or second: UInt8, acrossLines: Bool) {
    var index = offset
    while index < bytes.count {
      let byte = bytes[index]
      if byte == first || byte == second { break }
      // Of the control characters only tab and line ends got this far.
      if byte < 0x20, byte != ASCII.tab {
        guard acrossLines else { break }
        if byte == ASCII.lineFeed {
          line += 1
          columnBase = index
        }
      } else if byte & 0xC0 == 0x80 {
        columnBase += 1
      }
      index += 1
    }
    offset = index
  }

  /// Steps over `byte` when it is here.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    advance()
    return true
  }

  /// Steps over spaces and tabs.
  mutating func skipBlanks() {
    while offset < bytes.count, bytes[offset] == ASCII.space || bytes[offset] == ASCII.tab { offset += 1 }
  }

  /// Steps over one line end when it is here.
  mutating func skipNewline() -> Bool {
    guard isAtNewline else { return false }
    _ = skip(ASCII.carriageReturn)
    advance()
    return true
  }

  /// Steps over a comment when one is here, up to its line end.
  mutating func skipComment() {
    guard peek == ASCII.hash else { return }
    skipText(until: ASCII.lineFeed, or: ASCII.lineFeed, acrossLines: false)
  }

  /// Steps over blanks, comments and line ends.
  mutating func skipTrivia() {
    repeat {
      skipBlanks()
      skipComment()
    } while skipNewline()
  }

  /// How a message names what is here.
  var found: String { describeFirstCharacter(of: bytes[offset...]) }

  /// An error about what is here.
  func error(_ message: String) -> TOMLError { TOMLError(message, at: position) }

  /// The error "found X, expected Y" about what is here.
  func expected(_ what: String) -> TOMLError { error("found \(found), expected \(what)") }
}

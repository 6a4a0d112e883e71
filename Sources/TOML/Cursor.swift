/// Reads a text byte by byte and knows the line and column.
struct Cursor {
  let bytes: [UInt8]
  private(set) var offset = 0
  private var line = 1
  private var column = 1

  /// Starts after a byte order mark.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: ASCII.byteOrderMark) { offset = 3 }
  }

  var position: TOMLPosition { TOMLPosition(line: line, column: column, offset: offset) }

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

  /// Steps over one byte.
  mutating func advance() {
    guard let byte = peek else { return }
    offset += 1
    if byte == ASCII.lineFeed {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      // A continuation byte belongs to the character before it.
      column += 1
    }
  }

  mutating func advance(by count: Int) {
    for _ in 0..<count { advance() }
  }

  /// Steps over `byte` when it is here.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    advance()
    return true
  }

  /// Steps over spaces and tabs.
  mutating func skipBlanks() {
    while peek == ASCII.space || peek == ASCII.tab { advance() }
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
    while !isAtEnd, !isAtNewline { advance() }
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

/// A key that equals another only when both have the same code points. `String` also equates canonically
/// equivalent spellings (U+00E9 and U+0065 U+0301), which are two keys in TOML.
struct ExactKey: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ExactKey, right: ExactKey) -> Bool {
    // Most keys differ in length, which is known without a look at them. Texts with the same code points are
    // always equal; of those that are equal few need a second look.
    left.text.utf8.count == right.text.utf8.count && left.text == right.text
      && left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// Finds the entries of a table: one after another while there are few, by hash when there are many.
struct KeyIndex {
  private static let linearLimit = 16
  /// Empty while there are few entries.
  private var hashed: [ExactKey: Int] = [:]

  /// The index of the entry of `key`.
  func find(_ key: ExactKey, in entries: [TOMLTable.Entry]) -> Int? {
    guard hashed.isEmpty else { return hashed[key] }
    let length = key.text.utf8.count
    return entries.indices.first { entries[$0].key.utf8.count == length && ExactKey(entries[$0].key) == key }
  }

  /// Notes that the last entry was added.
  mutating func noteLast(of entries: [TOMLTable.Entry]) {
    if !hashed.isEmpty {
      if let last = entries.last { hashed[ExactKey(last.key)] = entries.count - 1 }
    } else if entries.count > Self.linearLimit {
      for index in entries.indices { hashed[ExactKey(entries[index].key)] = index }
    }
  }
}

/// One part of a dotted key, as written in the text.
struct KeyPart {
  let key: ExactKey
  let position: TOMLPosition
}

/// A key with all its parts. Most have one, which takes no array.
struct KeyPath {
  var parents: [KeyPart] = []
  var last: KeyPart

  var count: Int { parents.count + 1 }
  var parts: [KeyPart] { parents + [last] }
}

/// A key as a message shows it: dotted, and quoted where it is not bare.
func describe(_ path: some Sequence<KeyPart>) -> String {
  path.map { part in
    let text = part.key.text
    if !text.isEmpty, text.utf8.allSatisfy({ ASCII.isBareKey($0) }) { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" || scalar.properties.generalCategory == .control {
        quoted += scalar.escaped(asASCII: true)
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }.joined(separator: ".")
}

extension Cursor {
  /// Reads a key with all its dotted parts, and the blanks after it. `maximumParts` bounds the nesting.
  mutating func readKey(maximumParts: Int, depth: DepthLimit) throws(TOMLError) -> KeyPath {
    skipBlanks()
    guard maximumParts > 0 else { throw depth.exceeded(at: position) }
    var path = KeyPath(last: try readKeyPart())
    skipBlanks()
    while skip(ASCII.dot) {
      skipBlanks()
      guard path.count < maximumParts else { throw depth.exceeded(at: position) }
      path.parents.append(path.last)
      path.last = try readKeyPart()
      skipBlanks()
    }
    return path
  }

  private mutating func readKeyPart() throws(TOMLError) -> KeyPart {
    let start = position
    switch peek {
    case ASCII.quote, ASCII.apostrophe:
      if let quote = peek, starts(with: quote, times: 3) {
        throw error("found a multi-line string, expected a key; quote a key with a single pair of quotes")
      }
      let text = try peek == ASCII.quote ? readBasicString() : readLiteralString()
      return KeyPart(key: ExactKey(text), position: start)
    case let byte where ASCII.isBareKey(byte):
      skipBareKey()
      return KeyPart(
        key: ExactKey(text(start.offset..<offset)), position: start)
    default:
      throw expected("a key (letters, digits, '_' and '-'; quote any other)")
    }
  }
}

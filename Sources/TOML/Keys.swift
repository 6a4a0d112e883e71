/// A key that equals another only when both have the same code points. `String` also equates canonically
/// equivalent spellings (U+00E9 and U+0065 U+0301), which are two keys in TOML.
struct ExactKey: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ExactKey, right: ExactKey) -> Bool {
    // Most keys differ in length, which is known without a look at them.
    left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
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

  /// The index of `key` among entries whose keys `keyAt` gives.
  func find(_ key: ExactKey, count: Int, keyAt: (Int) -> ExactKey) -> Int? {
    guard hashed.isEmpty else { return hashed[key] }
    return (0..<count).first { keyAt($0) == key }
  }

  /// Notes that `key` was added as the last of `count` entries.
  mutating func add(_ key: ExactKey, count: Int, keyAt: (Int) -> ExactKey) {
    if !hashed.isEmpty {
      hashed[key] = count - 1
    } else if count > Self.linearLimit {
      for index in 0..<count { hashed[keyAt(index)] = index }
    }
  }
}

/// One part of a dotted key, as written in the text.
struct KeyPart {
  let key: ExactKey
  let position: TOMLPosition
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
  mutating func readKey(maximumParts: Int, depth: DepthLimit) throws(TOMLError) -> [KeyPart] {
    var parts: [KeyPart] = []
    repeat {
      skipBlanks()
      guard parts.count < maximumParts else { throw depth.exceeded(at: position) }
      parts.append(try readKeyPart())
      skipBlanks()
    } while skip(ASCII.dot)
    return parts
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
      while ASCII.isBareKey(peek) { advance() }
      return KeyPart(
        key: ExactKey(String(decoding: bytes[start.offset..<offset], as: UTF8.self)), position: start)
    default:
      throw expected("a key (letters, digits, '_' and '-'; quote any other)")
    }
  }
}

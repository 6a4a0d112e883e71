import Testing

/// docs/runbook.md has every message that an operator may search for.
@Suite struct RunbookTests {
  private struct Message {
    var text: String
    var place: String
  }

  private static let runbook = String(
    decoding: Repository.read(Repository.root + "/docs/runbook.md"), as: UTF8.self
  ).lowercased()

  /// What a search is for: the beginning when it says enough, else the longest part of what is wrong, before the
  /// advice.
  private static func key(_ literal: Substring) -> String? {
    let parts = phrases(literal)
    if let first = parts.first, first.count >= 20 { return first }
    return parts.max { $0.count < $1.count }
  }

  /// The parts of a literal between interpolations and colons, up to the first semicolon.
  private static func phrases(_ literal: Substring) -> [String] {
    var phrases: [String] = []
    var text = ""
    var depth = 0
    var rest = literal
    while let character = rest.popFirst() {
      if depth > 0 {
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
      } else if character == "\\", rest.first == "(" {
        rest.removeFirst()
        depth = 1
        phrases.append(text)
        text = ""
      } else if character == ";" {
        break
      } else if character == ":" {
        phrases.append(text)
        text = ""
      } else {
        text.append(character)
      }
    }
    phrases.append(text)
    return phrases.map { String($0.drop { $0 == " " }) }.filter { $0.count >= 12 }
  }

  /// What stands between the first quote of a line and the quote that ends the literal.
  private static func literal(_ line: Substring) -> Substring? {
    guard let start = line.firstIndex(of: "\"") else { return nil }
    var depth = 0
    var index = line.index(after: start)
    while index < line.endIndex {
      let character = line[index]
      if character == "\\", line.index(after: index) < line.endIndex, line[line.index(after: index)] == "(" {
        depth += 1
        index = line.index(after: index)
      } else if depth > 0 {
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
      } else if character == "\"" {
        return line[line.index(after: start)..<index]
      }
      index = line.index(after: index)
    }
    return nil
  }

  /// Warnings and errors of the log, what the store's errors say, and why the program or a command ends.
  private static let messages: [Message] = Repository.sources.flatMap { source -> [Message] in
    guard ["Service", "Store", "pushbox", "API", "Gateways"].contains(source.target) else { return [] }
    return source.lines.indices.compactMap { index in
      let line = source.lines[index]
      let isLog = line.contains("log.warning(") || line.contains("log.error(")
      let isStoreError = source.path == "Store/StoreError+Description.swift" && line.contains("case .")
      let thrown = ["ServerError(", "Failure("].lazy.compactMap { line.firstRange(of: $0) }.first
      if let thrown, source.target == "pushbox", !source.path.contains("/Demo/") {
        let following = source.lines.dropFirst(index + 1).first ?? ""
        guard
          let text = literal(line[thrown.lowerBound...]) ?? (line.hasSuffix("(") ? literal(following) : nil),
          let phrase = key(text)
        else { return nil }
        return Message(text: phrase, place: "\(source.path):\(index + 1)")
      }
      guard isLog || isStoreError else { return nil }
      // The text may begin on the next line.
      let following = source.lines.dropFirst(index + 1).first ?? ""
      let own = literal(line[(line.firstRange(of: "log.")?.lowerBound ?? line.startIndex)...])
      guard let text = isLog ? own ?? literal(following) : literal(following),
        let phrase = key(text)
      else { return nil }
      return Message(text: phrase, place: "\(source.path):\(index + 1)")
    }
  }

  @Test func itHasEveryMessage() {
    #expect(Self.messages.count > 30)
    for message in Self.messages {
      // Of a long sentence the beginning is enough.
      let key = message.text.prefix(24).lowercased()
      let isThere = Self.runbook.contains(key)
      #expect(isThere, "\(message.place): docs/runbook.md lacks “\(message.text)”")
    }
  }

  /// Every literal of the sources, with those that are put together by `+` in one.
  private static let sources = Repository.sources.map { source in
    source.lines.map { $0.drop { $0 == " " } }.joined(separator: "\n").replacing("\"\n+ \"", with: "")
      .replacing("\\\"", with: "\"").lowercased()
  }.joined()

  /// In the tables: what others say is marked with their name, or begins with a key of ours and ends with words of
  /// the C library.
  @Test func itHasNoMessageThatNothingSays() {
    let rows = Self.runbook.split(separator: "\n").filter {
      $0.hasPrefix("| `") && !$0.contains("(systemd) |")
    }
    #expect(rows.count > 40)
    for row in rows {
      let cell = row.dropFirst(2).prefix { $0 != "|" }
      for (index, message) in cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      where index % 2 == 1 {
        for part in message.split(separator: "…").map({ $0.split(separator: ": address already in use") })
          .joined()
        {
          let text = part.drop { ": ,".contains($0) }
          let isSaid = text.count < 8 || text.hasSuffix(": permission denied") || Self.sources.contains(text)
          #expect(isSaid, "docs/runbook.md: nothing says “\(text)”")
        }
      }
    }
  }

  @Test func readsLiterals() {
    #expect(Self.literal("x \"a \\(b(\"c\")) d\" y") == "a \\(b(\"c\")) d")
    #expect(
      Self.key("the store in \\(path) is full: a map of \\(size) bytes is used up; raise it")
        == "bytes is used up")
    #expect(Self.key("the store is nearly full: raise it") == "the store is nearly full")
    #expect(Self.literal("no literal") == nil)
  }
}

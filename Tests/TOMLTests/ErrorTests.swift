import TOML
import Testing

@Suite struct ErrorTests {
  @Test(arguments: [
    ("a = ", 1, 5, "found the end of the text, expected a value (a string needs quotes)"),
    ("a = yes", 1, 5, "found 'y', expected a value (a string needs quotes)"),
    ("a 1", 1, 3, "found '1', expected '=' or '.' after the key"),
    ("= 1", 1, 1, "found '=', expected a key (letters, digits, '_' and '-'; quote any other)"),
    ("é = 1", 1, 1, "found 'é', expected a key (letters, digits, '_' and '-'; quote any other)"),
    ("a = 1 b = 2", 1, 7, "found 'b', expected the end of the line or a comment"),
    ("a = \"x\nb = 2", 1, 5, "found the end of the line, expected the closing \" of the string begun here"),
    ("a = '''x\n", 1, 5, "found the end of the text, expected the closing ''' of the string begun here"),
    ("a = [1,\n 2", 1, 5, "found the end of the text, expected the closing ']' of the array begun here"),
    ("a = [1\n 2]", 2, 2, "found '2', expected ',' or ']' in the array"),
    ("a = {b = 1,}", 1, 12, "found '}', expected a key after ',' in the inline table"),
    ("a = 01", 1, 5, "found a leading zero, expected none in a decimal number"),
    ("a = 1__2", 1, 6, "found '_', expected it only between two digits"),
    ("a = 5.", 1, 7, "found the end of the number, expected a digit after '.'"),
    ("a = 0x1G", 1, 8, "found 'G', expected a digit of base 16"),
    ("a = +0b1", 1, 5, "found a sign before '0b', expected none"),
    ("a = 2023-02-29", 1, 13, "found the day 29, but that month of 2023 has 28 days"),
    ("a = 25:00:00", 1, 5, "found 25 for the hour, expected 0 to 23"),
    ("a = \"\\u12\"", 1, 10, "found '\"', expected 4 hexadecimal digits in the escape"),
    (
      "a = 1\nb.c = 2\nb.c = 3", 3, 3,
      "'b.c' is already defined as an integer at line 2, column 3; define it once"
    ),
    ("[a]\n[b]\n[a]", 3, 2, "'a' is already defined as a table at line 1, column 1; define it once"),
    (
      "a = {}\n[a.\"x y\"]", 2, 2,
      "'a' is already defined as an inline table at line 1, column 1; a header can't add to it"
    ),
    ("\u{200B}a = 1", 1, 1, "found U+200B, expected a key (letters, digits, '_' and '-'; quote any other)"),
  ])
  func saysWhatWasFoundAndExpected(text: String, line: Int, column: Int, message: String) {
    let error = parseError(text)
    #expect(error?.message == message)
    #expect(error?.line == line)
    #expect(error?.column == column)
  }

  @Test func theIntegerRangeIsNamed() {
    let error = parseError("a = 9223372036854775808")
    #expect(
      error?.message
        == "the integer does not fit in 64 bits (-9223372036854775808 to 9223372036854775807)")
  }

  @Test func bytesThatAreNoUTF8AreRefusedEvenInComments() {
    let error = parseError(Array("a = 1\n# é".utf8) + [0xFF])
    #expect(error?.position == TOMLPosition(line: 2, column: 4, offset: 10))
    #expect(error?.message == "found the byte 0xFF, which is no valid UTF-8 here; save the file as UTF-8")
    for bytes: [UInt8] in [
      [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
    ] {
      #expect(parseError(Array("#".utf8) + bytes) != nil, "\(bytes)")
    }
    #expect(parseError([0xFF, 0xFE, 0x61, 0x00])?.message.contains("UTF-16") == true)
  }

  @Test func controlCharactersAreRefusedEverywhere() {
    for byte in (UInt8(0)..<0x20).filter({ $0 != 0x09 && $0 != 0x0A }) + [0x7F] {
      for (before, after) in [("# ", ""), ("a = \"", "\""), ("a = '''", "'''"), ("a", " = 1"), ("a = ", "1")]
      {
        #expect(parseError(Array(before.utf8) + [byte] + Array(after.utf8)) != nil, "\(byte) in \(before)")
      }
    }
  }

  @Test func rendersTheLineWithACaret() {
    #expect(
      parseError("x = 1\n\tname = é\r\n")?.rendering(file: "config.toml") == """
        config.toml:2:9: found 'é', expected a value (a string needs quotes)
        2 | \tname = é
          | \t       ^
        """)
    #expect(
      parseError("\u{FEFF}a = \u{1}")?.rendering() == """
        line 1, column 5: found the control character U+0001, which is not allowed anywhere; \
        in a "..." string write it as an escape
        1 | a = \u{FFFD}
          |     ^
        """)
  }

  @Test func rendersAWindowOfALongLine() throws {
    let text = "a = [" + String(repeating: "1, ", count: 1000) + "x" + String(repeating: ", 1", count: 1000)
    let lines = try #require(parseError(text)?.rendering().split(separator: "\n"))
    #expect(lines.count == 3)
    #expect(lines[1].utf8.count < 120)
    let caret = try #require(lines[2].utf8.firstIndex(of: UInt8(ascii: "^")))
    let distance = lines[2].utf8.distance(from: lines[2].startIndex, to: caret)
    #expect(lines[1].utf8.dropFirst(distance).first == UInt8(ascii: "x"))
  }

  @Test func messagesNeverQuoteAValue() {
    for text in [
      "k = hunter2", "k = \"hunter2", "k = 'hunter2", "k = \"hunter2\" x", "k = \"\"\"hunter2\\q\"\"\"",
    ] {
      #expect(parseError(text)?.description.contains("hunter") == false, "\(text)")
    }
  }
}

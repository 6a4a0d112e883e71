import Testing

@testable import Transfer

@Suite struct RecordSplitterTests {
  private func records(_ text: String, _ format: TransferFormat, chunk: Int) -> [RecordSplitter.Record] {
    var splitter = RecordSplitter(format)
    var found: [RecordSplitter.Record] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      found += splitter.feed(rest.prefix(chunk))
      rest = rest.dropFirst(chunk)
    }
    if let last = splitter.finish() { found.append(last) }
    return found
  }

  @Test(arguments: [1, 3, 1000]) func linesKeepTheirNumbers(chunk: Int) {
    let found = records("a\r\n\n\"b\nc", .jsonLines, chunk: chunk)
    #expect(found.map(\.line) == [1, 3, 4])
    #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a", "\"b", "c"])
  }

  @Test(arguments: [1, 3, 1000]) func quotesHoldLinesTogether(chunk: Int) {
    let found = records("a,\"b\n\"\"\nc\"\nd\n", .csv, chunk: chunk)
    #expect(found.map(\.line) == [1, 4])
    #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a,\"b\n\"\"\nc\"", "d"])
  }

  @Test(arguments: [1, 3, 1000]) func aByteOrderMarkIsNoPartOfTheFirstRecord(chunk: Int) {
    for (format, text) in [
      (TransferFormat.csv, "\u{FEFF}\"a\",b\r\nc\r\n"), (.jsonLines, "\u{FEFF}{}\n\u{FEFF}\n"),
    ] {
      let found = records(text, format, chunk: chunk).map { String(decoding: $0.bytes, as: UTF8.self) }
      #expect(found == (format == .csv ? ["\"a\",b", "c"] : ["{}", "\u{FEFF}"]))
    }
  }

  @Test func aQuoteThatNeverEndsCostsOneRecord() {
    let line = String(repeating: "x", count: 1000) + "\n"
    let found = records("\"" + String(repeating: line, count: 100) + "good\n", .csv, chunk: 4096)
    #expect(found.first?.isTooLong == true)
    #expect(found.last.map { String(decoding: $0.bytes, as: UTF8.self) } == "good")
    #expect(found.last?.line == 101)
  }
}

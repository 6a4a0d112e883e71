import TOML
import Testing

@Suite struct PositionTests {
  private func place(_ position: TOMLPosition?) -> [Int] {
    position.map { [$0.line, $0.column, $0.offset] } ?? []
  }

  @Test func keysAndValuesKnowWhereTheyStand() throws {
    let table = try parse("a = 1\n\"b\".c =  true # x\n[t . u]\nk = [\n  'é', 7]\n")
    #expect(place(table.entry("a")?.keyPosition) == [1, 1, 0])
    #expect(place(table["a"]?.position) == [1, 5, 4])
    #expect(place(table.entry("b")?.keyPosition) == [2, 1, 6])
    let b = try #require(table["b"]?.table)
    #expect(place(b.entry("c")?.keyPosition) == [2, 5, 10])
    #expect(place(b["c"]?.position) == [2, 10, 15])
    // A table that a header implies stands at its key, a defined one at its header.
    #expect(place(table["t"]?.position) == [3, 2, 25])
    #expect(place(table["t"]?.table?["u"]?.position) == [3, 1, 24])
    let array = try #require(table["t"]?.table?["u"]?.table?["k"]?.array)
    #expect(place(array[0].position) == [5, 3, 40])
    // A column counts characters, an offset bytes.
    #expect(place(array[1].position) == [5, 8, 46])
  }

  @Test func carriageReturnsAndAByteOrderMarkDoNotShiftPlaces() throws {
    let table = try parse("\u{FEFF}a = 1\r\nb = \"\"\"x\r\ny\"\"\"\r\nc = 3")
    #expect(place(table.entry("a")?.keyPosition) == [1, 1, 3])
    #expect(place(table.entry("b")?.keyPosition) == [2, 1, 10])
    #expect(place(table.entry("c")?.keyPosition) == [4, 1, 26])
  }

  @Test func elementsOfAnArrayOfTablesStandAtTheirHeaders() throws {
    let elements = try #require(try parse("[[a]]\n\n[[a]]\nb = { c = 1 }")["a"]?.array)
    #expect(elements.map(\.position.line) == [1, 3])
    #expect(place(elements[1].table?["b"]?.table?.entry("c")?.keyPosition) == [4, 7, 19])
  }

  @Test func entriesKeepTheOrderOfTheDocument() throws {
    let table = try parse("z = 1\n[y]\n[a.b]\n[x]")
    #expect(table.entries.map(\.key) == ["z", "y", "a", "x"])
  }
}

import TOML
import Testing

@Suite struct NestingTests {
  private func times(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  @Test func nestingIsBounded() {
    let limit = TOMLDocument.defaultMaximumDepth
    #expect(parseError("a = " + times("[", limit) + times("]", limit)) == nil)
    #expect(parseError("a = " + times("[", limit + 1) + times("]", limit + 1)) != nil)
    #expect(parseError("[a" + times(".a", limit - 1) + "]") == nil)
    #expect(parseError("[a" + times(".a", limit) + "]") != nil)
    #expect(parseError("a" + times(".a", limit) + " = 1") == nil)
    #expect(parseError("a" + times(".a", limit + 1) + " = 1") != nil)
    #expect(parseError("a = " + times("{a = ", limit) + "1" + times("}", limit)) == nil)
    #expect(parseError("a = " + times("{a = ", limit + 1) + "1" + times("}", limit + 1)) != nil)
    // Headers, dotted keys and values count together.
    #expect(parseError("[a.a]\na.a = [[]]", maximumDepth: 5) == nil)
    #expect(parseError("[a.a]\na.a = [[]]", maximumDepth: 4) != nil)
    #expect(parseError("[[a.a]]", maximumDepth: 3) == nil)
    #expect(parseError("[[a.a]]", maximumDepth: 2) != nil)
  }

  @Test func hostileDepthEndsInAnErrorNotInACrash() {
    for open in ["[", "{a=", "[{a="] {
      #expect(parseError("a = " + times(open, 200_000))?.message.contains("nested") == true)
    }
    #expect(parseError(times("a.", 200_000) + "a = 1")?.message.contains("nested") == true)
    #expect(
      parseError(times("a.a = 1\n[a.b.", 1) + times("a.", 200_000) + "a]")?.message.contains("nested") == true
    )
  }
}

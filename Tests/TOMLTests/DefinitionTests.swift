import TOML
import Testing

/// Who may define what, and how often (TOML 1.0.0, "Table", "Inline Table", "Array of Tables").
@Suite struct DefinitionTests {
  @Test(arguments: [
    // A table may follow the tables within it.
    "[a.b]\n[a]\nc = 1",
    // A header implies its parents; dotted keys may still define these.
    "[a.b.c]\n[a]\nb.x = 1",
    // Dotted keys define tables; headers may name tables within.
    "[a]\nb.c = 1\n[a.b.d]\n[[a.b.e]]",
    "a.b = 1\n[a.c]",
    "a.x = 1\na.y = 2",
    "x = {a.b = 1, a.c = 2}",
    "[[a]]\nb.c = 1\n[[a]]\nb.c = 2",
    "[[a]]\n[a.b]\n[[a]]\n[a.b]",
    "[[a.b]]\n[a]\nc = 1",
    "[a]\n[[a.b]]\n[[a.b]]",
    // One letter with an accent, precomposed and decomposed: two keys.
    "\"\\u00e9\" = 1\n\"e\\u0301\" = 2",
  ])
  func allows(text: String) {
    #expect(parseError(text) == nil)
  }

  @Test(arguments: [
    "a = 1\na = 2", "a = 1\n'a' = 2", "a = 1\n\"\\u0061\" = 2",
    "[a]\n[a]", "[a.b]\n[a]\n[a]", "a.b = 1\n[a]", "[a]\nb.c = 1\n[a.b]",
    // Dotted keys may not add to what a header defined, nor headers to what dotted keys defined.
    "[a.b]\n[a]\nb.c = 1", "[a.b.c]\n[a]\nb.x = 1\n[a.b]", "[[a.b]]\n[a]\nb.c = 1",
    "a = 1\n[a]", "a = 1\n[a.b]", "a = 1\na.b = 2", "[a]\nb = 1\n[a.b]", "[a.b]\n[a]\nb = 1",
    // Inline tables and static arrays are complete.
    "a = {}\na.b = 1", "a = {}\n[a]", "a = {}\n[a.b]", "a = {}\n[[a.b]]", "a = {b = {}}\n[a.b.c]",
    "x = {a = {}, a.b = 1}", "x = {a.b = {}, a.b.c = 1}", "x = {a.b = 1, a = 1}", "x = {a = 1, a = 2}",
    "a = []\n[[a]]", "a = [{}]\n[[a]]", "a = [{}]\n[a.b]", "a = [{}]\na.b = 1",
    // Tables and arrays of tables do not become each other.
    "[a]\n[[a]]", "[[a]]\n[a]", "[a.b]\n[[a]]", "[[a]]\n[a.b]\n[[a.b]]", "[[a]]\n[[a.b]]\n[a.b]",
    "a.b = 1\n[[a]]",
  ])
  func refuses(text: String) {
    #expect(parseError(text)?.message.contains("already defined") == true)
  }

  @Test func headersWithinAnArrayOfTablesGoToItsLastElement() throws {
    let elements = try #require(try parse("[[a]]\nn = 1\n[[a]]\nn = 2\n[a.b]\nc = 3")["a"]?.array)
    #expect(elements[0].table?["b"] == nil)
    #expect(elements[1].table?["b"]?.table?["c"]?.integer == 3)
  }
}

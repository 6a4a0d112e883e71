import TestSupport
import Testing

/// docs/SECURITY.md names a test for each thing that is defended or kept, and each of them exists.
@Suite struct SecurityPageTests {
  private struct Row {
    var threat: String
    /// What stands in backticks in the column of tests.
    var names: [String]
  }

  private static let rows: [Row] = {
    let page = String(decoding: Repository.read(Repository.root + "/docs/SECURITY.md"), as: UTF8.self)
    let lines = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
    // Without the names of columns and the line below them.
    return lines.filter { !$0.hasPrefix("| ---") && !$0.hasSuffix("where it is tested |") }.map { line in
      let cells = line.split(separator: "|")
      let parts = (cells.last ?? "").split(separator: "`", omittingEmptySubsequences: false)
      let names = parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
      return Row(threat: String(cells.first ?? ""), names: names)
    }
  }()

  /// The suites by name, and the fuzz targets, each of which has a folder in the corpus.
  private static let known: Set<String> = {
    var known = Set(Files.names(in: Repository.root + "/Fuzz/Corpus") ?? [])
    for file in Files.all(in: Repository.root + "/Tests") where file.hasSuffix(".swift") {
      let words = String(decoding: Repository.read(file), as: UTF8.self)
        .split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") })
      for (word, next) in zip(words, words.dropFirst()) where word == "struct" { known.insert(String(next)) }
    }
    return known
  }()

  @Test func everyRowNamesTestsThatExist() {
    #expect(Self.rows.count >= 25)
    for row in Self.rows {
      #expect(!row.names.isEmpty, "\(row.threat)")
      for name in row.names where !name.hasPrefix("make ") {
        let exists = Self.known.contains(name)
        #expect(exists, "\(row.threat): \(name)")
      }
    }
  }
}

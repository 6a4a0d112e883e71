import Testing

/// The order of the modules (docs/ARCHITECTURE.md): one imports only modules of the groups before its own.
@Suite struct LayerTests {
  private static let layers: [[String]] = [
    ["CLMDB", "COpenSSL", "CNghttp2", "CLinux"],
    ["Bytes"],
    ["JSON", "TOML", "Telemetry"],
    ["EventLoop"],
    ["Crypto"],
    ["TLS"],
    ["HTTP"],
    ["Store"],
    ["Gateways"],
    ["Relay"],
    ["Service"],
    ["Transfer"],
    ["Configuration"],
    ["API"],
    ["MockGateway", "MockRelay"],
    ["pushbox", "StoreCrashProbe", "TOMLDecoder", "embedpublic"],
  ]
  private static let system: Set<String> = ["Glibc", "Synchronization"]
  private static let owners: [String: Set<String>] = [
    "CLMDB": ["Store"], "COpenSSL": ["Crypto", "TLS"], "CNghttp2": ["HTTP"], "CLinux": ["EventLoop"],
  ]

  private static let ranks = Dictionary(
    uniqueKeysWithValues: layers.enumerated().flatMap { rank, names in names.map { ($0, rank) } })

  private struct Import {
    var importer: String
    var imported: String
    var place: String
  }

  private static let imports: [Import] = Repository.sources.flatMap { source in
    source.lines.enumerated().compactMap { index, line in
      importedModule(line).map {
        Import(importer: source.target, imported: $0, place: "\(source.path):\(index + 1)")
      }
    }
  }

  /// The module that a line imports, whatever stands around it: `public import struct Bytes.Hex`.
  private static func importedModule(_ line: Substring) -> String? {
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    var words = line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains($0) }
    guard words.popFirst() == "import" else { return nil }
    if let kind = words.first, kinds.contains(kind) { words.removeFirst() }
    return words.first?.split(separator: ".").first.map(String.init)
  }

  @Test func readsImports() {
    #expect(Self.importedModule("import Bytes") == "Bytes")
    #expect(Self.importedModule("@testable import Store") == "Store")
    #expect(Self.importedModule("public import struct Bytes.Hex // why") == "Bytes")
    #expect(Self.importedModule("// import Bytes") == nil)
    #expect(Self.importedModule("let important = 1") == nil)
    #expect(Self.imports.count > 100)
  }

  @Test func everyTargetHasAPlace() {
    #expect(Repository.targets == Set(Self.ranks.keys))
  }

  @Test func importsPointUpwards() throws {
    for each in Self.imports where !Self.system.contains(each.imported) {
      let rank = try #require(Self.ranks[each.importer])
      let imported = try #require(
        Self.ranks[each.imported], "\(each.place): \(each.imported) is no module of ours")
      #expect(imported < rank, "\(each.place): \(each.importer) must not import \(each.imported)")
    }
  }

  @Test func onlyItsOwnerImportsALibrary() {
    for each in Self.imports {
      guard let owners = Self.owners[each.imported] else { continue }
      #expect(
        owners.contains(each.importer),
        "\(each.place): only \(owners.sorted().joined(separator: " and ")) may import \(each.imported)")
    }
  }
}

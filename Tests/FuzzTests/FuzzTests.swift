import FuzzTargets
import TestSupport
import Testing

/// Every fuzz target with its corpus, and with seeded mutations of it: what `scripts/fuzz.sh` does for hours,
/// for a second and the same way each time.
@Suite(.timeLimit(.minutes(10))) struct FuzzTests {
  private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  private static let rounds = 2000

  @Test(arguments: FuzzTarget.all.map(\.name))
  func corpusAndMutationsEndNothing(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let corpus = try Self.corpus(name)
    try #require(!corpus.isEmpty, "Fuzz/Corpus/\(name) has no files")
    for input in corpus { target.run(input) }
    var mutation = Mutation(seed: 20_231_010)
    for _ in 0..<Self.rounds { target.run(mutation.of(corpus)) }
  }

  /// Each folder of the corpus belongs to a target.
  @Test func noCorpusIsLeftOver() throws {
    let folders = try #require(Files.names(in: Self.root + "/Fuzz/Corpus"))
    #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
  }

  private static func corpus(_ name: String) throws -> [[UInt8]] {
    let folder = root + "/Fuzz/Corpus/" + name
    let names = try #require(Files.names(in: folder), "cannot open \(folder)")
    return try names.map { try #require(Files.read(folder + "/" + $0)) }
  }
}

/// Repeatable damage to inputs of a corpus.
private struct Mutation {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// SplitMix64.
  private mutating func random(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) % UInt64(max(limit, 1)))
  }

  mutating func of(_ corpus: [[UInt8]]) -> [UInt8] {
    var input = corpus[random(below: corpus.count)]
    for _ in 0...random(below: 5) {
      let at = random(below: input.count)
      switch random(below: 6) {
      case 0: input.insert(UInt8(random(below: 256)), at: at)
      case 1 where !input.isEmpty: input.remove(at: at)
      case 2 where !input.isEmpty: input[at] ^= 1 << UInt8(random(below: 8))
      case 3 where !input.isEmpty: input[at] = [0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x22, 0x2E][random(below: 8)]
      case 4:  // The front of one, the end of another.
        let other = corpus[random(below: corpus.count)]
        input = Array(input.prefix(at)) + other.suffix(random(below: other.count + 1))
      default:  // A part again.
        let part = input[at..<min(input.count, at + random(below: 64))]
        input.insert(contentsOf: Array(part), at: random(below: input.count))
      }
    }
    return Array(input.prefix(FuzzTarget.maxBytes))
  }
}

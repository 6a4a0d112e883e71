import JSON
import Testing

/// The JSONTestSuite vectors: y_ must be accepted, n_ refused, i_ is left to the parser.
@Suite(.enabled(if: !VectorFiles.all.isEmpty, "the shared vector folder is absent"))
struct ConformanceTests {
  @Test func theVectorsAreThere() {
    #expect(VectorFiles.named("y_").count >= 70)
    #expect(VectorFiles.named("n_").count > 100)
    #expect(VectorFiles.named("i_").count > 20)
  }

  @Test(arguments: VectorFiles.named("y_"))
  func accepts(file: VectorFiles.File) throws {
    let value = try JSON.parse(file.content)
    var writer = JSONWriter()
    writer.value(value)
    #expect(try JSON.parse(writer.bytes) == value, "what was written must read back the same")
  }

  @Test(arguments: VectorFiles.named("n_"))
  func refuses(file: VectorFiles.File) {
    #expect(throws: JSONError.self) { try JSON.parse(file.content) }
  }

  @Test(arguments: VectorFiles.named("i_"))
  func survives(file: VectorFiles.File) {
    expectSane(file.content)
  }

  /// Mutated vectors, the same ones in every run: no crash, errors inside the text, and whatever is
  /// accepted survives being written and read.
  @Test func survivesMutations() {
    var random = SplitMix64(state: 0x5EED)
    let files = VectorFiles.all.filter { $0.content.count <= 2000 }
    for _ in 0..<20_000 {
      guard let file = files.randomElement(using: &random) else { return }
      var text = file.content
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        mutate(&text, with: files, using: &random)
      }
      expectSane(text)
    }
  }

  private func mutate(
    _ text: inout [UInt8], with files: [VectorFiles.File], using random: inout SplitMix64
  ) {
    let place = Int.random(in: 0...text.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      text.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 1 where place < text.count:
      text.remove(at: place)
    case 2 where place < text.count:
      text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 3:
      text.removeSubrange(place...)
    default:
      text.insert(contentsOf: files.randomElement(using: &random)?.content ?? [], at: place)
    }
  }

  private func expectSane(_ text: [UInt8]) {
    do throws(JSONError) {
      let value = try JSON.parse(text)
      var writer = JSONWriter()
      writer.value(value)
      #expect((try? JSON.parse(writer.bytes)) == value, "\(text)")
    } catch {
      if error.offset < 0 || error.offset > text.count {
        Issue.record("offset \(error.offset) outside of \(text)")
      }
    }
  }
}

/// A small generator with a fixed seed, so that a failure can be repeated.
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

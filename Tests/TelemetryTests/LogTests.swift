import Bytes
import Telemetry
import Testing

/// Collects what a log writes.
private final class Lines: Sendable {
  private let lines = Locked<[String]>([])
  var all: [String] { lines.withLock { $0 } }

  func log(_ level: LogLevel = .debug, _ format: LogFormat = .text) -> Log {
    Log(level: level, format: format, clock: { 1_767_323_045_678 }) { [self] line in
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
  }
}

@Suite struct LogTests {
  @Test func textRecords() {
    let lines = Lines()
    let log = lines.log()
    log.info("push delivered", ["client": "z6Mk", "ms": 12, "trimmed": false, "reason": "two words"])
    log.error("stopped")
    #expect(
      lines.all == [
        "2026-01-02T03:04:05.678Z info push delivered client=z6Mk ms=12 trimmed=false reason=\"two words\"\n",
        "2026-01-02T03:04:05.678Z error stopped\n",
      ])
  }

  @Test func jsonRecords() {
    let lines = Lines()
    lines.log(.debug, .json).warning("a \"b\"", ["k": "c\\d\n", "n": -1, "t": true])
    #expect(
      lines.all == [
        #"{"time":"2026-01-02T03:04:05.678Z","level":"warning","message":"a \"b\"","#
          + #""k":"c\\d\n","n":-1,"t":true}"# + "\n"
      ])
  }

  @Test(arguments: LogFormat.allCases)
  func nothingFromOutsideCanForgeALineOrSteerATerminal(format: LogFormat) {
    let lines = Lines()
    let hostile = "a\nb\rc\u{1B}[2Jd\u{0}e\u{9B}f\u{2028}g\u{202E}h\u{7F}"
    lines.log(.debug, format).info(hostile, ["k": .string(hostile), "e": "", "f": "x=y"])
    let line = lines.all.first ?? ""
    #expect(lines.all.count == 1)
    #expect(line.unicodeScalars.filter { $0 == "\n" }.count == 1)
    #expect(line.hasSuffix("\n"))
    let escaped = #"a\nb\rc\u001b[2Jd\u0000e\u009bf\u2028g\u202eh\u007f"#
    #expect(line.split(separator: escaped, omittingEmptySubsequences: false).count == 3)
    #expect(line.contains(format == .text ? #" e="" f="x=y""# : #","e":"","f":"x=y"}"#))
  }

  @Test func longValuesAreCut() {
    let lines = Lines()
    lines.log().info("m", ["k": .string(String(repeating: "é", count: 5000))])
    let line = lines.all.first ?? ""
    #expect(line.utf8.count < 1200)
    #expect(line.hasSuffix("é…\"\n"))
  }

  @Test func whatIsFilteredIsNotBuilt() {
    let lines = Lines()
    let log = lines.log(.warning)
    func expensive() -> String {
      Issue.record("built although filtered")
      return ""
    }
    log.info(expensive(), ["k": .string(expensive())])
    #expect(lines.all.isEmpty)
    log.level = .info
    log.info("now")
    #expect(log.level == .info)
    #expect(lines.all.count == 1)
  }

  @Test func levelsHaveNames() {
    for level in LogLevel.allCases { #expect(LogLevel(name: level.name) == level) }
    #expect(LogLevel(name: "loud") == nil)
    #expect(LogLevel.debug < .error)
  }

  @Test func timestamps() {
    #expect(RFC3339.text(milliseconds: 0) == "1970-01-01T00:00:00.000Z")
    #expect(RFC3339.text(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
    #expect(RFC3339.text(milliseconds: 951_782_400_007) == "2000-02-29T00:00:00.007Z")
    #expect(RFC3339.now() > 1_700_000_000_000)
  }

  @Test(arguments: LogFormat.allCases) func clientsHavePseudonyms(_ format: LogFormat) throws {
    let id = "z6Mku3wsRZTAHjr6xrYWVUfyGeNSNz1GJRVfazp3N76AL9gE"
    let pseudonyms = Pseudonyms(key: Array(0..<16))
    let name = pseudonyms.pseudonym(of: id)
    #expect(name.utf8.count == 17)
    #expect(pseudonyms.pseudonym(ofClientID: "did:key:" + id) == name)
    #expect(pseudonyms.pseudonym(of: id + "x") != name)
    let read = try #require(Pseudonym(name))
    #expect(read.description == name)
    #expect(pseudonyms.isPseudonym(read, ofBareClientID: id))
    #expect(!pseudonyms.isPseudonym(read, ofBareClientID: id + "x"))
    for text in ["", "#", String(name.dropLast()), name + "0", String(name.dropFirst()), "#0123456789abcdeg"]
    {
      #expect(Pseudonym(text) == nil, "\(text)")
    }
    #expect(Pseudonyms.random().pseudonym(of: id) != name)
    let lines = Lines()
    let log = lines.log(.debug, format)
    log.pseudonyms = pseudonyms
    log.info("m", ["client": .clientID("did:key:" + id)])
    let line = lines.all.first ?? ""
    #expect(line.hasSuffix(format == .text ? " client=\(name)\n" : ",\"client\":\"\(name)\"}\n"), "\(line)")
  }

  @Test func numbers() {
    #expect(LogValue.number(UInt64.max) == .integer(.max))
    #expect(LogValue.milliseconds(.microseconds(1_999_500)) == .integer(1999))
  }
}

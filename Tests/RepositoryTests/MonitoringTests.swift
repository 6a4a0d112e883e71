import Glibc
import JSON
import TestSupport
import Testing

/// What is in packaging/ for Prometheus and Grafana.
@Suite(.ownThread, .timeLimit(.minutes(10))) struct MonitoringTests {
  private static let rules = Repository.root + "/packaging/prometheus/pushbox.rules.yml"
  private static let dashboard = Repository.root + "/packaging/grafana/pushbox.json"

  /// promtool is in Debian's package prometheus.
  private static let promtool: String? = {
    let given = getenv("PUSHBOX_PROMTOOL").map { (text: UnsafeMutablePointer<CChar>) in String(cString: text)
    }
    let candidates: [String] = [given, "/usr/bin/promtool"].compactMap { $0 }
    let found = candidates.first { access($0, X_OK) == 0 }
    if found == nil {
      print("MonitoringTests: SKIPPED, promtool is not installed (Debian: prometheus)")
    }
    return found
  }()

  @Test(.enabled(if: promtool != nil)) func promtoolTakesTheRules() throws {
    let process = try ChildProcess(try #require(Self.promtool), ["check", "rules", Self.rules])
    _ = process.waitForOutput("\u{0}")
    #expect(process.wait() == 0, "\(process.text)")
    #expect(process.text.contains("10 rules found"))
  }

  @Test func theDashboardIsJSONWithoutOverlappingPanels() throws {
    let dashboard = try JSON.parse(Repository.read(Self.dashboard))
    let panels = dashboard["panels"]?.arrayValue ?? []
    #expect(panels.count == 13)
    var places: Set<[UInt64]> = []
    for panel in panels {
      let grid = panel["gridPos"]
      let (x, y) = (grid?["x"]?.uint64Value ?? 99, grid?["y"]?.uint64Value ?? 99)
      let (w, h) = (grid?["w"]?.uint64Value ?? 0, grid?["h"]?.uint64Value ?? 0)
      #expect(w > 0 && h > 0 && x + w <= 24)
      for column in x..<(x + w) {
        for row in y..<(y + h) {
          #expect(places.insert([column, row]).inserted, "\(panel["title"] ?? .null)")
        }
      }
    }
  }

  /// A metric that is renamed must be so there too.
  @Test func everyMetricThatTheyNameIsDeclared() throws {
    let sources = Repository.sources.flatMap(\.lines).joined(separator: "\n")
    for file in [Self.rules, Self.dashboard] {
      let text = String(decoding: Repository.read(file), as: UTF8.self)
      var names: Set<String> = []
      for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") })
      where word.hasPrefix("pushbox_") { names.insert(String(word)) }
      #expect(names.count > 5)
      for name in names {
        let base = name.hasSuffix("_bucket") ? String(name.dropLast("_bucket".count)) : name
        #expect(sources.contains("\"\(base)\""), "\(name)")
      }
    }
  }
}

import Bytes
import Crypto
import EventLoop
import Service
import Store
import TestSupport
import Testing

@testable import API

@Suite(.timeLimit(.minutes(10))) struct AdminUnitTests {
  private let home = IPAddress("192.0.2.1")

  @Test func eachWrongPasswordDoublesTheWait() {
    var lock = LoginLock()
    var now: UInt64 = 1_000_000
    for _ in 0..<2 {
      lock.failed(home, now: now)
      #expect(lock.wait(home, now: now) == nil)
    }
    for seconds in [1, 2, 4, 8, 16] {
      lock.failed(home, now: now)
      #expect(lock.wait(home, now: now) == seconds)
      #expect(lock.wait(IPAddress("192.0.2.2"), now: now) == nil)
      now += UInt64(seconds) * 1000
      #expect(lock.wait(home, now: now) == nil)
    }
    for _ in 0..<30 { lock.failed(home, now: now) }
    #expect(lock.wait(home, now: now) == 900)
    lock.succeeded(home)
    #expect(lock.wait(home, now: now) == nil)
  }

  @Test func aWholeNetworkSharesItsLockAndAnHourForgives() {
    var lock = LoginLock()
    for suffix in 1...3 { lock.failed(IPAddress("2001:db8::\(suffix)"), now: 5000) }
    #expect(lock.wait(IPAddress("2001:db8::9"), now: 5000) == 1)
    lock.failed(IPAddress("2001:db8::9"), now: 5000 + 3_600_000)
    #expect(lock.wait(IPAddress("2001:db8::9"), now: 5000 + 3_600_000) == nil)
    for _ in 0..<3 { lock.failed(nil, now: 5000) }
    #expect(lock.wait(nil, now: 5000) == 1)
  }

  @Test func sessionsEndWithTheirTimeAndWithThePassword() throws {
    let sessions = AdminSessions()
    let first = try PasswordHash(of: "a", cost: .init(logN: 4, r: 1, p: 1))
    sessions.use(first)
    let (id, session) = try sessions.begin(ttl: 10, now: 1000)
    #expect(id.utf8.count == 64)
    #expect(session.csrfToken != id)
    #expect(sessions.session(id, now: 10_999) == session)
    #expect(sessions.session(id, now: 11_000) == nil)
    let (second, _) = try sessions.begin(ttl: 10, now: 1000)
    sessions.use(first)
    #expect(sessions.session(second, now: 2000) != nil)
    sessions.use(try PasswordHash(of: "b", cost: .init(logN: 4, r: 1, p: 1)))
    #expect(sessions.session(second, now: 2000) == nil)
    #expect(sessions.session("", now: 2000) == nil)
  }

  @Test func theManyDoNotFillTheMemory() throws {
    let sessions = AdminSessions()
    let (oldest, _) = try sessions.begin(ttl: 10, now: 1000)
    for _ in 0..<1000 { _ = try sessions.begin(ttl: 20, now: 1000) }
    #expect(sessions.session(oldest, now: 1000) == nil)
  }

  @Test func queriesAreReadStrictly() {
    let query = QueryParameters("a=1&b=x%20y+z&c")
    #expect(query?["a"] == "1")
    #expect(query?["b"] == "x y z")
    #expect(query?["c"] == "")
    #expect(query?["d"] == nil)
    #expect(QueryParameters("a=1&a=2") == nil)
    #expect(QueryParameters("a=%zz") == nil)
    #expect(QueryParameters(nil) != nil)
  }

  @Test func routesAreFoundAtTheRootAndUnderTheBase() {
    let table = RouteTable(basePath: "/push", projectIDs: nil, isPage: { _ in false })
    #expect(table.adminSegments("/admin/api/overview") == ["overview"])
    #expect(table.adminSegments("/push/admin/api/why/x") == ["why", "x"])
    for path in ["/admin/", "/admin/apix", "/clients/a", "/x/admin/api/overview"] {
      #expect(table.adminSegments(path) == nil, "\(path)")
    }
    #expect(AdminRoute(["registrations", "a", "test-push"]) == .testPush("a"))
    for segments in [[], [""], ["registrations", ""], ["overview", ""], ["registrations", "a", "b"]] {
      #expect(AdminRoute(segments.map { Substring($0) }[...]) == nil)
    }
  }

  /// The paths and methods of `docs/openapi.yaml`, read line by line: its layout is ours.
  @Test func theDescriptionHasTheRoutesThatAreServed() throws {
    var described: [String: Set<String>] = [:]
    var path = ""
    for line in try Self.lines(of: "docs/openapi.yaml") {
      if line.hasPrefix("components:") { break }
      if line.hasPrefix("  /") {
        path = String(line.dropFirst(2).prefix { $0 != ":" })
        described[path] = []
      } else if line.hasPrefix("    "), !line.hasPrefix("     "), !path.isEmpty {
        let word = String(line.dropFirst(4).prefix { $0 != ":" })
        if ["get", "post", "put", "patch", "delete"].contains(word) {
          described[path]?.insert(word.uppercased())
        }
      }
    }
    let served = Dictionary(uniqueKeysWithValues: AdminRoute.all.map { ($0.path, Set($0.methods)) })
    #expect(described == served)
  }

  /// What the description lists is what there is.
  @Test func theDescriptionHasEveryOutcome() throws {
    let lines = try Self.lines(of: "docs/openapi.yaml")
    let start = try #require(lines.lastIndex(of: "    Outcome:"))
    let listed = lines[(start + 3)...].prefix { $0.hasPrefix("        - ") }.map { String($0.dropFirst(10)) }
    #expect(Set(listed) == Set(PushResultLabel.allCases.map(\.rawValue)))
  }

  private static func lines(of name: String) throws -> [String] {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let text = try #require(Files.text(root + "/" + name), "\(name)")
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }
}

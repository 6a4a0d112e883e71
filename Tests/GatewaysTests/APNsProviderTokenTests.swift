import Bytes
import Crypto
import Gateways
import JSON
import Testing

/// A clock that stands until it is moved.
final class TestClock: Sendable {
  private let seconds: Locked<UInt64>

  init(_ seconds: UInt64 = 1_767_323_045) { self.seconds = Locked(seconds) }

  var now: UInt64 { seconds.withLock { $0 } }
  func advance(_ amount: UInt64) { seconds.withLock { $0 += amount } }
  func setBack(_ amount: UInt64) { seconds.withLock { $0 -= amount } }
}

@Suite struct APNsProviderTokenTests {
  private let key: P256PrivateKey
  private let clock = TestClock()

  init() throws {
    key = try P256PrivateKey.generate()
  }

  private func make(
    _ key: P256PrivateKey? = nil, keyID: String = "KEY1234567", restored: APNsProviderToken.Snapshot? = nil,
    onIssue: @escaping @Sendable (APNsProviderToken.Snapshot) -> Void = { _ in }
  ) -> APNsProviderToken {
    APNsProviderToken(
      teamID: "TEAM123456", keyID: keyID, key: key ?? self.key, restored: restored,
      clock: { [clock] in clock.now }, onIssue: onIssue)
  }

  @Test func theTokenIsWhatAppleWants() throws {
    let authorization = try make().authorization()
    #expect(authorization.hasPrefix("bearer "))
    let parts = try JWT.Parts(compact: authorization.dropFirst("bearer ".count).utf8)
    #expect(String(decoding: parts.header, as: UTF8.self) == #"{"alg":"ES256","kid":"KEY1234567"}"#)
    #expect(String(decoding: parts.claims, as: UTF8.self) == #"{"iss":"TEAM123456","iat":1767323045}"#)
    #expect(parts.signature.count == 64)
    #expect(try key.publicKey().verify(signature: parts.signature, message: parts.signingInput))
  }

  @Test func oneTokenFor50Minutes() throws {
    let token = make()
    let first = try token.authorization()
    clock.advance(50 * 60 - 1)
    #expect(try token.authorization() == first)
    clock.advance(1)
    #expect(try token.authorization() != first)
  }

  @Test func aRefusedTokenIsReplacedEvery20MinutesAtMost() throws {
    let token = make()
    let first = try token.authorization()
    clock.advance(20 * 60 - 1)
    #expect(try token.replacement(for: first) == nil)
    #expect(try token.authorization() == first)
    clock.advance(1)
    let second = try #require(try token.replacement(for: first))
    #expect(second != first)
    // Another worker whose request was refused with the first token gets the second, not a third.
    #expect(try token.replacement(for: first) == second)
    #expect(try token.replacement(for: second) == nil)
  }

  @Test func aRestartLoopMakesOneToken() throws {
    let kept = Locked<APNsProviderToken.Snapshot?>(nil)
    let made = Counter()
    var seen: Set<String> = []
    for _ in 0..<50 {
      let token = make(restored: kept.withLock { $0 }) { snapshot in
        made.increment()
        kept.withLock { $0 = snapshot }
      }
      seen.insert(try token.authorization())
      #expect(token.snapshot == kept.withLock { $0 })
      clock.advance(30)
    }
    #expect(seen.count == 1)
    #expect(made.count == 1)
  }

  @Test func anOldOrForeignTokenIsNotRestored() throws {
    let first = make()
    let authorization = try first.authorization()
    let snapshot = try #require(first.snapshot)
    #expect(try make(restored: snapshot).authorization() == authorization)
    #expect(make(keyID: "OTHERKEYID", restored: snapshot).snapshot == nil)
    #expect(make(try P256PrivateKey.generate(), restored: snapshot).snapshot == nil)
    var altered = snapshot
    altered.issuedAt += 1
    #expect(make(restored: altered).snapshot == nil)
    #expect(make(restored: .init(issuedAt: clock.now, token: Array("junk".utf8))).snapshot == nil)
    clock.advance(50 * 60)
    #expect(try make(restored: snapshot).authorization() != authorization)
  }

  @Test func aTokenFromTheFutureIsDropped() throws {
    let token = make()
    let first = try token.authorization()
    clock.setBack(30)
    #expect(try token.authorization() == first)
    clock.setBack(3600)
    #expect(try token.authorization() != first)
  }

  @Test func manyThreadsShareOneToken() async throws {
    let made = Counter()
    let token = make { _ in made.increment() }
    let seen = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<32 { group.addTask { try token.authorization() } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(seen.count == 1)
    #expect(made.count == 1)
  }

  @Test func aSnapshotDoesNotPrintItsToken() throws {
    let token = make()
    let authorization = try token.authorization()
    let snapshot = try #require(token.snapshot)
    #expect(!"\(snapshot)".contains(authorization.dropFirst(7).prefix(20)))
  }
}

/// Counts calls from any thread.
private final class Counter: Sendable {
  private let value = Locked(0)
  var count: Int { value.withLock { $0 } }
  func increment() { value.withLock { $0 += 1 } }
}

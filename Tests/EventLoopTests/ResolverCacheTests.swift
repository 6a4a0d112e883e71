import Bytes
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct ResolverCacheTests {
  private final class Names: Sendable {
    let answer = Locked<ResolverCache.Answer>(.success([]))
    let lookUps = Locked(0)
    let seconds = Locked<UInt64>(1000)

    func cache() -> ResolverCache {
      ResolverCache(
        clock: { MonotonicTime(nanoseconds: self.seconds.withLock { $0 } * 1_000_000_000) },
        lookUp: { _, _ in
          self.lookUps.withLock { $0 += 1 }
          return self.answer.withLock { $0 }
        })
    }

    var count: Int { lookUps.withLock { $0 } }
    func advance(_ amount: UInt64) { seconds.withLock { $0 += amount } }
    func set(_ ip: String?) {
      answer.withLock {
        $0 =
          ip.flatMap { SocketAddress(ip: $0, port: 443) }.map { .success([$0]) }
          ?? .failure(.resolveFailed(host: "h", reason: "try again"))
      }
    }
  }

  private func resolve(_ cache: ResolverCache, _ host: String = "gateway.test") async throws -> [String]? {
    try await onLoop { loop, report in
      let report = LoopBound(report, loop: loop)
      cache.resolve(host: host, port: 443, on: loop) { answer in
        report.value(try? answer.get().map(\.ipText))
      }
    }
  }

  @Test func anAnswerServesForAMinuteAndIsThenAskedForAnew() async throws {
    let names = Names()
    let cache = names.cache()
    names.set("10.0.0.1")
    #expect(try await resolve(cache) == ["10.0.0.1"])
    names.set("10.0.0.2")
    names.advance(59)
    #expect(try await resolve(cache) == ["10.0.0.1"])
    #expect(names.count == 1)
    names.advance(1)
    #expect(try await resolve(cache) == ["10.0.0.2"])
    #expect(names.count == 2)
  }

  @Test func addressesThatDoNotServeAreAskedForAnew() async throws {
    let names = Names()
    let cache = names.cache()
    names.set("10.0.0.1")
    _ = try await resolve(cache)
    names.set("10.0.0.2")
    cache.forget(host: "gateway.test", port: 443)
    #expect(try await resolve(cache) == ["10.0.0.2"])
  }

  @Test func whenTheResolverFailsTheLastAnswerServesForAnHour() async throws {
    let names = Names()
    let cache = names.cache()
    names.set("10.0.0.1")
    _ = try await resolve(cache)
    names.set(nil)
    names.advance(3599)
    #expect(try await resolve(cache) == ["10.0.0.1"])
    names.advance(1)
    #expect(try await resolve(cache) == nil)
  }

  @Test func numbersNeedNoLookUp() async throws {
    let names = Names()
    #expect(try await resolve(names.cache(), "[::1]") == ["::1"])
    #expect(try await resolve(names.cache(), "127.0.0.1") == ["127.0.0.1"])
    #expect(names.count == 0)
  }

  @Test func oneLookUpServesAllThatWait() async throws {
    let gate = Rendezvous<Bool>()
    let count = Locked(0)
    let cache = ResolverCache(lookUp: { _, port in
      count.withLock { $0 += 1 }
      _ = gate.wait()
      return .success([SocketAddress(ip: "10.0.0.9", port: port)].compactMap { $0 })
    })
    let answers: Int = try await onLoop { loop, report in
      let waiting = LoopBound((answers: Box(0), report: report), loop: loop)
      for _ in 0..<10 {
        cache.resolve(host: "gateway.test", port: 443, on: loop) { _ in
          waiting.value.answers.value += 1
          if waiting.value.answers.value == 10 { waiting.value.report(10) }
        }
      }
      gate.give(true)
    }
    #expect(answers == 10)
    #expect(count.withLock { $0 } == 1)
  }
}

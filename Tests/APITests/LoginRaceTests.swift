import Crypto
import EventLoop
import HTTP
import Service
import Store
import Telemetry
import TestSupport
import Testing

@testable import API

/// A reload comes while the password of a login is being hashed.
@Suite(.ownThread, .timeLimit(.minutes(10))) struct LoginRaceTests {
  /// Hands the one answer to the thread that waits for it.
  private final class Answer: HTTPResponseSink, Sendable {
    let response = Rendezvous<HTTPResponse>()

    func send(_ response: HTTPResponse, stream: Int32) { self.response.give(response) }
  }

  private static let password = "correct horse battery"

  private static func settings(_ password: PasswordHash, sessionTTL: UInt64) -> AdminSettings {
    AdminSettings(password: password, sessionTTL: sessionTTL, isSecure: false, hasOwnAddress: false)
  }

  /// The answer to a login with the right password, when `next` comes into effect before it was hashed.
  private func logIn(_ first: AdminSettings, then next: AdminSettings?) throws -> HTTPResponse {
    let folder = try TemporaryFolder()
    let store = try Store.open(
      path: folder.path + "/data", cipher: try StoreCipher(masterKey: [UInt8](repeating: 7, count: 32)))
    defer { store.close() }
    let registry = MetricsRegistry()
    let service = SharedService(
      store: store, metrics: ServiceMetrics(registry: registry), log: Log(level: .error))
    let shared = try AdminShared(service: service, registry: registry)
    defer { shared.stop() }
    let worker = try LoopThread(name: "worker")
    defer { worker.stopAndJoin() }
    let loop = worker.loop
    let api = APISettings(basePath: "", projectIDs: nil, version: "1", kinds: [], pushURL: "")
    let reader = LoopBound(try store.makeReader(), loop: loop)
    let gate = Rendezvous<Bool>()
    let answer = Answer()
    let routes = loop.runAndWait {
      let pushes = PushService(
        loop: loop, shared: service, reader: reader.value, gateways: GatewaySet([:]), verifier: nil,
        settings: PushSettings(deadline: .seconds(1), maximumInFlight: 1, timeToLive: 1))
      let routes = AdminRoutes(loop: loop, shared: shared, pushes: pushes, settings: first, api: api)
      shared.use(first)
      // Keeps the one thread that hashes busy.
      shared.hash(loop) {
        gate.wait()
      } _: { _ in
      }
      var request = HTTPRequest(
        method: "POST", path: "/admin/api/login",
        body: Array("{\"password\":\"\(Self.password)\"}".utf8))
      request.fields.add("content-type", "application/json")
      routes.handle(
        ["login"],
        AdminRoutes.Call(
          request: request, responder: HTTPResponder(sink: answer, stream: 1), requestID: "1", address: nil,
          loop: loop, isAtOwnAddress: false))
      return LoopBound(routes, loop: loop)
    }
    // In this order, as a reload does.
    loop.runAndWait { routes.value.apply(next, api) }
    shared.use(next)
    gate.give(true)
    return answer.response.wait()
  }

  @Test func thePasswordThatWasReplacedOpensNoSession() throws {
    let old = try PasswordHash(of: Self.password, cost: .init(logN: 4, r: 1, p: 1))
    let new = try PasswordHash(of: "another secret word", cost: .init(logN: 4, r: 1, p: 1))
    let first = Self.settings(old, sessionTTL: 60)
    for next in [Self.settings(new, sessionTTL: 60), nil] {
      let response = try logIn(first, then: next)
      #expect(response.status == 401)
      #expect(response.fields.first("set-cookie") == nil)
      #expect(String(decoding: response.body, as: UTF8.self).contains("was changed meanwhile"))
    }
  }

  @Test func whateverElseChangedDoesNotMatter() throws {
    let hash = try PasswordHash(of: Self.password, cost: .init(logN: 4, r: 1, p: 1))
    let response = try logIn(
      Self.settings(hash, sessionTTL: 60), then: Self.settings(hash, sessionTTL: 90))
    #expect(response.status == 200)
    #expect(response.fields.first("set-cookie") != nil)
  }
}

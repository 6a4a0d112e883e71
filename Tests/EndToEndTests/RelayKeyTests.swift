import Bytes
import Crypto
import EventLoop
import Glibc
import HTTP
import MockGateway
import MockRelay
import TLS
import TestSupport
import Testing

/// Whose pushes are taken: one key, several, or the one that the relay gave.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct RelayKeyTests {
  private static func status(_ relay: MockRelay, _ appliance: Appliance, _ wallet: MockWallet) throws -> Int {
    let body = Appliance.raw("\(UInt64.random(in: 0...(.max)))")
    return try appliance.client().send(
      "POST", "/clients/\(wallet.clientID)", fields: relay.pushFields(body, timestamp: WallClock.seconds()),
      body: body
    ).status
  }

  private static func replaceKey(_ appliance: Appliance, by text: String) throws {
    try appliance.configure {
      $0.replacing("public_key = \"\(appliance.relay.publicKeyHex)\"", with: text)
    }
    appliance.signal(SIGHUP)
  }

  @Test func severalKeysForARotation() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let next = try MockRelay()
    #expect(try Self.status(next, appliance, wallet) == 401)
    let keys = "\"\(appliance.relay.publicKeyHex)\", \"\(next.publicKeyHex)\""
    try Self.replaceKey(appliance, by: "public_key = [\(keys)]")
    #expect(appliance.waitForLog("configuration reloaded"))
    #expect(try Self.status(next, appliance, wallet) == 202)
    #expect(try Self.status(appliance.relay, appliance, wallet) == 202)
    #expect(try Self.status(try MockRelay(), appliance, wallet) == 401)
  }

  @Test func aFileOfKeys() throws {
    let appliance = try Appliance()
    let wallet = try appliance.registered()
    let next = try MockRelay()
    try appliance.folder.write("relay.key", "\n\(next.publicKeyHex)\n\(try MockRelay().publicKeyHex)\n")
    try Self.replaceKey(appliance, by: "public_key_file = \"relay.key\"")
    #expect(appliance.waitForLog("configuration reloaded"))
    #expect(try Self.status(next, appliance, wallet) == 202)
    #expect(try Self.status(appliance.relay, appliance, wallet) == 401)
  }

  @Test func theRelaysKeyIsFetchedOnceAndKept() throws {
    let host = try KeyServer()
    let relay = try MockRelay()
    host.body.withLock { $0 = relay.publicKeyHex + "\n" }
    let appliance = try Appliance(gateway: { _ in }) { settings, _ in
      try TemporaryFolder.write(host.authority, to: settings.folder + "/relay-ca.pem")
      settings.relay = "public_key_url = \"https://127.0.0.1:\(host.port)/public-key\""
      settings.more += "\n[outbound]\nca_file = \"relay-ca.pem\""
    }
    let wallet = try appliance.registered()
    try Self.replaceKey(appliance, by: "public_key = \"fetch\"")
    #expect(appliance.waitForLog("the relay's public key was fetched"))
    #expect(appliance.waitForLog("configuration reloaded"))
    #expect(try Self.status(relay, appliance, wallet) == 202)
    #expect(try Self.status(appliance.relay, appliance, wallet) == 401)
    let check = try appliance.command("check")
    #expect(check.text.contains("relay.public_key: is fetched from https://127.0.0.1"), "\(check.text)")

    // Another key there is reported and not taken, over a restart too.
    let other = try MockRelay()
    host.body.withLock { $0 = other.publicKeyHex }
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.restart()
    #expect(appliance.waitForLog("the relay gives another public key"))
    #expect(try Self.status(relay, appliance, wallet) == 202)
    #expect(try Self.status(other, appliance, wallet) == 401)

    // Without the relay it starts with the key that it has.
    host.stop()
    #expect(appliance.end(SIGTERM) == 0)
    try appliance.restart()
    #expect(try Self.status(relay, appliance, wallet) == 202)
  }

  @Test(arguments: ["nonsense", "", String(repeating: "0", count: 64), String(repeating: "ab", count: 33)])
  func whatIsNoKeyIsNotTaken(_ answer: String) throws {
    let host = try KeyServer()
    host.body.withLock { $0 = answer }
    let appliance = try Appliance(gateway: { _ in }) { settings, _ in
      try TemporaryFolder.write(host.authority, to: settings.folder + "/relay-ca.pem")
      settings.relay = "public_key_url = \"https://127.0.0.1:\(host.port)/public-key\""
      settings.more += "\n[outbound]\nca_file = \"relay-ca.pem\""
    }
    let wallet = try appliance.registered()
    try Self.replaceKey(appliance, by: "public_key = \"fetch\"")
    #expect(appliance.waitForLog("relay.public_key: cannot fetch the key from https://127.0.0.1"))
    #expect(try Self.status(appliance.relay, appliance, wallet) == 202)
  }
}

/// The relay's `/public-key` over HTTP/2 and TLS.
private final class KeyServer: Sendable {
  let body = Locked("")
  let authority: String
  let port: UInt16
  private let thread: LoopThread
  private let server: LoopBound<HTTPServer>

  private final class Handler: HTTPHandler {
    let body: Locked<String>
    init(_ body: Locked<String>) { self.body = body }
    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      let isKey = request.method == "GET" && request.path == "/public-key"
      responder.respond(isKey ? .text(200, body.withLock { $0 }) : .empty(404))
    }
  }

  init() throws {
    let now = Int(WallClock.seconds())
    let validity = (now - 60)..<(now + 3600)
    let issuer = try LoopbackCertificateAuthority(validity: validity)
    let leaf = try issuer.issue(names: ["127.0.0.1"], validity: validity)
    let context = try TLSContext.server(
      certificateChain: leaf.certificatePEM, privateKey: leaf.privateKeyPEM, protocols: ["h2"])
    authority = issuer.certificatePEM
    let thread = try LoopThread(name: "key-server")
    self.thread = thread
    let body = self.body
    server = thread.loop.runAndWait {
      let server = HTTPServer(
        loop: thread.loop, handler: Handler(body), makeLayer: { context.makeLayer(fd: $0) })
      if let address = SocketAddress(ip: "127.0.0.1", port: 0) { try? server.start(at: address) }
      return LoopBound(server, loop: thread.loop)
    }
    let bound = server
    port = thread.loop.runAndWait { bound.value.localAddress?.port ?? 0 }
  }

  /// No longer listens. Once only.
  func stop() {
    let stopped = Rendezvous<Bool>()
    server.run { $0.stop(grace: .zero) { stopped.give(true) } }
    _ = stopped.wait()
  }

  deinit { thread.stopAndJoin() }
}

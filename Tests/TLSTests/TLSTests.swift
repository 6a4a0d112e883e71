import Crypto
import EventLoop
import Testing

@testable import TLS

/// What one TLS connection came to, seen from the client.
private struct Outcome: Sendable, Equatable {
  var clientProtocol: String?
  var serverProtocol: String?
  var received: [UInt8] = []
  var error: TransportError?
  var isResumed = false
}

private final class EchoPeer: TransportDelegate {
  var transport: SocketTransport?
  var negotiated: String?
  func transportDidConnect(_ transport: any Transport) { negotiated = transport.negotiatedProtocol }
  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    transport.write(bytes.withUnsafeBufferPointer { Array($0) })
  }
  func transportDidReadEOF(_ transport: any Transport) { transport.close() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) { self.transport = nil }
}

private final class Client: TransportDelegate {
  var outcome = Outcome()
  let payload: [UInt8]
  let done: (Outcome) -> Void
  var layer: TLSLayer?
  var transport: SocketTransport?

  init(payload: [UInt8], done: @escaping (Outcome) -> Void) {
    self.payload = payload
    self.done = done
  }
  func transportDidConnect(_ transport: any Transport) {
    outcome.clientProtocol = transport.negotiatedProtocol
    transport.write(payload)
  }
  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { outcome.received.append(contentsOf: $0) }
    if outcome.received.count == payload.count { transport.close() }
  }
  func transportDidReadEOF(_ transport: any Transport) { transport.close() }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    outcome.error = error
    outcome.isResumed = layer?.isResumed ?? false
    self.transport = nil
    done(outcome)
  }
}

/// Connects a client to an echo server on one loop and reports how it went.
private func connect(
  server: TLSContext, client: TLSContext, serverName: String, payload: [UInt8] = Array("hello".utf8)
) async throws -> Outcome {
  let thread = try LoopThread(name: "tls-test")
  defer { thread.stopAndJoin() }
  return await withCheckedContinuation { continuation in
    let loop = thread.loop
    loop.execute {
      guard let address = SocketAddress(ip: "127.0.0.1", port: 0),
        let listener = try? Listener(loop: loop, address: address)
      else { return continuation.resume(returning: Outcome(error: .lost("no listener"))) }
      let peer = EchoPeer()
      try? listener.start { socket, address in
        let transport = SocketTransport(
          loop: loop, accepted: socket, from: address, makeLayer: { server.makeLayer(fd: $0) })
        transport.delegate = peer
        peer.transport = transport
        transport.start(handshakeTimeout: .seconds(5))
      }
      let recorder = Client(payload: payload) { outcome in
        var outcome = outcome
        outcome.serverProtocol = peer.negotiated
        listener.close()
        continuation.resume(returning: outcome)
      }
      recorder.transport = SocketTransport.connect(
        loop: loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(5),
        makeLayer: {
          let layer = client.makeLayer(fd: $0, serverName: serverName)
          recorder.layer = (try? layer.get()) as? TLSLayer
          return layer
        })
      recorder.transport?.delegate = recorder
      // The recorder lives as long as this closure's timer, beyond the test's end.
      loop.schedule(after: .seconds(60)) { _ = recorder }
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct TLSTests {
  let authority: LoopbackCertificateAuthority
  let server: TLSContext
  let trusting: TLSContext

  /// Seconds since the epoch around now: a day ahead, or over since an hour.
  static let valid = validity(from: -3600, to: 86_400)
  static let past = validity(from: -7200, to: -3600)

  static func validity(from: Int, to: Int) -> Range<Int> {
    let now = Int(WallClock.seconds())
    return now + from..<now + to
  }

  init() throws {
    authority = try LoopbackCertificateAuthority(validity: Self.valid)
    let issued = try authority.issue(names: ["localhost", "127.0.0.1"], validity: Self.valid)
    server = try TLSContext.server(
      certificateChain: issued.certificatePEM, privateKey: issued.privateKeyPEM,
      protocols: ["h2", "http/1.1"])
    trusting = try TLSContext.client(trust: .pem(authority.certificatePEM), protocols: ["h2"])
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func bytesCrossBothWaysAndALPNChooses(name: String) async throws {
    let payload = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
    let outcome = try await connect(server: server, client: trusting, serverName: name, payload: payload)
    #expect(outcome.error == nil)
    // Compared outside the macro, which would compute a difference of half a megabyte.
    let isWhole = outcome.received == payload
    #expect(isWhole)
    #expect(outcome.clientProtocol == "h2")
    #expect(outcome.serverProtocol == "h2")
  }

  @Test func aCertificateForAnotherNameIsRefused() async throws {
    let outcome = try await connect(server: server, client: trusting, serverName: "api.push.apple.com")
    #expect(outcome.error == .tls(.certificate(.hostName)))
    #expect(outcome.received.isEmpty)
  }

  @Test func anUnknownAuthorityIsRefused() async throws {
    let other = try LoopbackCertificateAuthority(validity: Self.valid)
    let client = try TLSContext.client(trust: .pem(other.certificatePEM), protocols: ["h2"])
    let outcome = try await connect(server: server, client: client, serverName: "localhost")
    #expect(outcome.error == .tls(.certificate(.unknownAuthority)))
  }

  @Test func theSystemRootsDoNotKnowALoopbackAuthority() async throws {
    let client = try TLSContext.client(trust: .system, protocols: ["h2"])
    let outcome = try await connect(server: server, client: client, serverName: "localhost")
    #expect(outcome.received.isEmpty)
    #expect(outcome.error != nil)
  }

  @Test func anExpiredCertificateIsRefusedInThoseWords() async throws {
    let issued = try authority.issue(names: ["localhost"], validity: Self.past)
    let expired = try TLSContext.server(
      certificateChain: issued.certificatePEM, privateKey: issued.privateKeyPEM, protocols: ["h2"])
    let outcome = try await connect(server: expired, client: trusting, serverName: "localhost")
    #expect(outcome.error == .tls(.certificate(.expired)))
  }

  @Test func noCommonProtocolEndsTheHandshake() async throws {
    let client = try TLSContext.client(trust: .pem(authority.certificatePEM), protocols: ["spdy/1"])
    let outcome = try await connect(server: server, client: client, serverName: "localhost")
    #expect(outcome.received.isEmpty)
    #expect(outcome.error == .tls(.alert(TLSAlert(code: 120))))
  }

  // MARK: Client certificates

  private func mutual(_ authority: LoopbackCertificateAuthority) throws -> TLSContext {
    let issued = try self.authority.issue(names: ["localhost"], validity: Self.valid)
    return try TLSContext.server(
      certificateChain: issued.certificatePEM, privateKey: issued.privateKeyPEM, protocols: ["h2"],
      clientTrust: .pem(authority.certificatePEM))
  }

  private func client(_ issued: IssuedCertificate?) throws -> TLSContext {
    let identity = try issued.map {
      try TLSIdentity(certificateChain: $0.certificatePEM, privateKey: $0.privateKeyPEM)
    }
    return try TLSContext.client(
      trust: .pem(authority.certificatePEM), protocols: ["h2"], identity: identity)
  }

  @Test func aClientShowsItsCertificate() async throws {
    let issued = try authority.issue(names: ["client"], validity: Self.valid)
    let outcome = try await connect(
      server: mutual(authority), client: client(issued), serverName: "localhost")
    #expect(outcome.error == nil)
    #expect(outcome.received == Array("hello".utf8))
  }

  @Test func alertsAboutTheClientsCertificateAreTyped() async throws {
    let server = try mutual(authority)
    let none = try await connect(server: server, client: client(nil), serverName: "localhost")
    #expect(none.error == .tls(.alert(.certificateRequired)))
    let expired = try authority.issue(names: ["client"], validity: Self.past)
    let late = try await connect(server: server, client: client(expired), serverName: "localhost")
    #expect(late.error == .tls(.alert(.certificateExpired)))
    let stranger = try LoopbackCertificateAuthority(validity: Self.valid)
    let unknown = try await connect(
      server: server, client: client(stranger.issue(names: ["client"], validity: Self.valid)),
      serverName: "localhost")
    #expect(unknown.error == .tls(.alert(.unknownAuthority)))
  }

  // MARK: Resumption

  @Test func theNextConnectionResumesTheSession() async throws {
    let first = try await connect(server: server, client: trusting, serverName: "localhost")
    let second = try await connect(server: server, client: trusting, serverName: "localhost")
    let other = try await connect(server: server, client: trusting, serverName: "127.0.0.1")
    #expect(!first.isResumed)
    #expect(second.isResumed)
    #expect(second.received == Array("hello".utf8))
    #expect(!other.isResumed)
  }

  @Test func wrongPEMIsNamed() throws {
    let issued = try authority.issue(names: ["localhost"], validity: Self.valid)
    #expect(throws: TLSError.keyMismatch) {
      let other = try authority.issue(names: ["localhost"], validity: Self.valid)
      _ = try TLSContext.server(
        certificateChain: issued.certificatePEM, privateKey: other.privateKeyPEM, protocols: [])
    }
    do {
      _ = try TLSContext.server(certificateChain: "nonsense", privateKey: issued.privateKeyPEM, protocols: [])
      Issue.record("accepted nonsense")
    } catch {
      #expect("\(error)".hasPrefix("the certificate is not usable PEM: "))
    }
    do {
      _ = try TLSContext.client(trust: .file("/nonexistent/ca.pem"), protocols: ["h2"])
      Issue.record("accepted a missing file")
    } catch {
      #expect("\(error)".hasPrefix("cannot load CA certificates from /nonexistent/ca.pem: "))
    }
  }
}

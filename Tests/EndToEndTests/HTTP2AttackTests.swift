import Crypto
import EventLoop
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Known attacks on HTTP/2, at the real server over TLS: each costs the attacker its connection, and the next
/// caller is served.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct HTTP2AttackTests {
  private let authority: LoopbackCertificateAuthority
  private let appliance: Appliance

  init() throws {
    let now = Int(WallClock.seconds())
    let validity = (now - 60)..<(now + 3600)
    let authority = try LoopbackCertificateAuthority(validity: validity)
    let leaf = try authority.issue(names: ["127.0.0.1"], validity: validity)
    self.authority = authority
    appliance = try Appliance(gateway: { _ in }) { settings, _ in
      try TemporaryFolder.write(leaf.certificatePEM, to: settings.folder + "/tls.pem")
      try TemporaryFolder.write(leaf.privateKeyPEM, to: settings.folder + "/tls.key")
      settings.server += "\nheader_timeout_ms = 1000\nbody_timeout_ms = 1000"
      settings.more += TLSTests.section
    }
  }

  private func connect() throws -> TLSConnection {
    try TLSConnection(port: appliance.port, authority: authority.certificatePEM, protocols: ["h2"])
  }

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4)

  private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = [])
    -> [UInt8]
  {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) }
    }
    return bytes(payload.count, 3) + [type, flags] + bytes(stream, 4) + payload
  }

  /// HPACK: GET, https, path /, authority "a".
  private static let get: [UInt8] = [0x82, 0x87, 0x84, 0x01, 0x01, 0x61]

  /// The error code of the GOAWAY that ended a connection; nil without one.
  private static func goAway(_ bytes: [UInt8]) -> UInt8? {
    var rest = bytes[...]
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      rest = rest.dropFirst(9)
      if head[3] == 7, rest.count >= 8 { return Array(rest)[7] }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  /// Sends an attack and gives all that came until the connection ended; then the server serves others.
  private func attack(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
    let connection = try connect()
    connection.send(Self.preface + bytes)
    let answer = try #require(connection.readToEnd(), "\(name): the connection did not end")
    let status = try HTTP2Caller(try connect()).send("GET", "/health")
    #expect(status == 200, "\(name)")
    return answer
  }

  private static let noError: UInt8 = 0
  private static let enhanceYourCalm: UInt8 = 0xB

  /// CVE-2023-44487.
  @Test func rapidReset() throws {
    var bytes: [UInt8] = []
    for index in 0..<5000 {
      bytes += Self.frame(1, flags: 5, stream: index * 2 + 1, Self.get)
      bytes += Self.frame(3, stream: index * 2 + 1, [0, 0, 0, 8])
    }
    #expect(Self.goAway(try attack(bytes, "rapid reset")) != Self.noError)
  }

  /// CVE-2024-28182: a header block that never ends.
  @Test func continuationFlood() throws {
    let start = Self.frame(1, flags: 1, stream: 1, Self.get)
    let empty = start + [[UInt8]](repeating: Self.frame(9, stream: 1), count: 5000).flatMap { $0 }
    _ = try attack(empty, "empty CONTINUATION")
    // A literal field of 1000 bytes in each.
    let field: [UInt8] = [0x00, 0x01, 0x78, 0x7F, 0xE9, 0x06] + [UInt8](repeating: 0x61, count: 1000)
    let long = start + [[UInt8]](repeating: Self.frame(9, stream: 1, field), count: 2000).flatMap { $0 }
    _ = try attack(long, "CONTINUATION with fields")
  }

  @Test(
    arguments: [
      ("SETTINGS", frame(4, [0, 4, 0, 0, 0xFF, 0xFF])), ("empty SETTINGS", frame(4)),
      ("PING", frame(6, [0, 0, 0, 0, 0, 0, 0, 0])),
    ] as [(String, [UInt8])])
  func floodsOfControlFrames(_ name: String, _ flood: [UInt8]) throws {
    let answer = try attack([[UInt8]](repeating: flood, count: 20_000).flatMap { $0 }, name)
    // The library may give up first, and then says nothing.
    #expect(Self.goAway(answer) != Self.noError, "\(name)")
  }

  @Test func emptyDataFlood() throws {
    var post = Self.get
    post[0] = 0x83
    let bytes =
      Self.frame(1, flags: 4, stream: 1, post)
      + [[UInt8]](repeating: Self.frame(0, stream: 1), count: 20_000).flatMap { $0 }
    #expect(Self.goAway(try attack(bytes, "empty DATA")) == Self.enhanceYourCalm)
  }

  /// A field of 4000 bytes put into the table once, then named again and again: one byte each.
  @Test func headerBomb() throws {
    let connection = try connect()
    let insert: [UInt8] = [0x40, 0x01, 0x78, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4000)
    connection.send(Self.preface + Self.frame(1, flags: 5, stream: 1, Self.get + insert))
    let bomb = Self.get + [UInt8](repeating: 0xBE, count: 4000)
    connection.send(Self.frame(1, flags: 5, stream: 3, bomb))
    // 431 by name (status 431 is no entry of the static table), or the end of the connection.
    let refusal = Array("431".utf8)
    let isRefused = connection.waitForBytes { bytes in
      Self.goAway(bytes) != nil || bytes.firstRange(of: refusal) != nil
        || bytes.firstRange(of: [0x83, 0x68, 0x03] as [UInt8]) != nil
    }
    #expect(isRefused || !connection.isOpen)
    #expect(try HTTP2Caller(try connect()).send("GET", "/health") == 200)
  }

  /// Header blocks that begin and stay open: the streams time out, and the connection with them.
  @Test func requestsThatNeverEnd() throws {
    var bytes: [UInt8] = []
    var post = Self.get
    post[0] = 0x83
    for index in 0..<200 { bytes += Self.frame(1, flags: 4, stream: index * 2 + 1, post) }
    let connection = try connect()
    connection.send(Self.preface + bytes)
    // 408 on each; the static table has no such status, so its digits are there, in HPACK's Huffman code or not.
    #expect(connection.waitForBytes { $0.count > 200 * 9 })
    #expect(try HTTP2Caller(try connect()).send("GET", "/health") == 200)
  }

  @Test(
    arguments: [
      ("no preface", Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
      ("DATA on stream 0", preface + frame(0, [1])),
      ("a stream with an even number", preface + frame(1, flags: 5, stream: 2, get)),
      ("a frame over its limit", preface + [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1]),
      ("a window of 2^31", preface + frame(8, [0x80, 0, 0, 0]) + frame(8, [0x7F, 0xFF, 0xFF, 0xFF])),
      ("HPACK that is none", preface + frame(1, flags: 5, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF])),
      ("SETTINGS of five bytes", preface + frame(4, [1, 2, 3, 4, 5])),
      ("RST_STREAM of an idle stream", preface + frame(3, stream: 9, [0, 0, 0, 0])),
    ] as [(String, [UInt8])])
  func brokenFrames(_ name: String, _ bytes: [UInt8]) throws {
    let connection = try connect()
    connection.send(bytes)
    #expect(connection.readToEnd() != nil, "\(name): the connection did not end")
    #expect(try HTTP2Caller(try connect()).send("GET", "/health") == 200, "\(name)")
  }
}

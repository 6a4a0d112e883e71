import Bytes
import Crypto
import EventLoop
import MockGateway
import MockRelay
import Relay
import TestSupport
import Testing

/// The relay's timestamp, whose unit is documented nowhere.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct TimestampTests {
  private let key: Ed25519PrivateKey
  private let appliance: Appliance
  private let wallet: MockWallet

  init() throws {
    let key = try Ed25519PrivateKey.generate()
    self.key = key
    appliance = try Appliance(gateway: { _ in }) { settings, gateway in
      let folder = settings.folder
      let own = MockConfiguration(
        folder: folder, gateway: gateway, relayPublicKey: Hex.encode(key.publicKey.rawBytes))
      let (server, more) = (settings.server, settings.more)
      settings = own
      settings.server = server
      settings.more = more
    }
    wallet = try appliance.registered()
  }

  /// A new push with `timestamp` as its text.
  private func push(_ timestamp: String) throws -> BlockingHTTPResponse {
    let body = Appliance.raw("\(UInt64.random(in: 0...(.max)))")
    let signature = try key.sign(RelayVerifier.signedBytes(timestamp: timestamp, body: body.span))
    return try appliance.client().send(
      "POST", "/clients/\(wallet.clientID)",
      fields: [
        ("content-type", "application/json"), (RelayHeader.timestamp, timestamp),
        (RelayHeader.signature, Hex.encode(signature)),
      ], body: body)
  }

  private func metric(_ name: String) throws -> Int? {
    let text = try appliance.client().send("GET", "/metrics").text
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Int($0.dropFirst(name.count + 1)) }
  }

  @Test func secondsAndMilliseconds() throws {
    let now = WallClock.seconds()
    #expect(try push("\(now - 100)").status == 202)
    let skew = try #require(try metric("pushbox_relay_clock_skew_seconds"))
    #expect((100...110).contains(skew))
    #expect(try push("\((now - 200) * 1000)").status == 202)
    #expect(try #require(try metric("pushbox_relay_clock_skew_seconds")) >= 200)
    for old in ["\(now - 260_000)", "\((now - 260_000) * 1000)", "\(now + 260_000)", "0"] {
      let answer = try push(old)
      #expect(answer.status == 401, "\(old)")
      #expect(answer.text.contains("clock skew"), "\(answer.text)")
    }
    #expect(try #require(try metric("pushbox_relay_clock_skew_seconds")) > 1_000_000_000)
  }

  @Test func whatIsNoNumberIsTakenCountedAndReportedOnce() throws {
    for text in ["2026-11-30T12:00:00Z", "now", "-1"] { #expect(try push(text).status == 202, "\(text)") }
    #expect(try metric("pushbox_relay_timestamps_opaque_total") == 3)
    // At most once a worker.
    let reports = appliance.log.split(separator: "the relay's signed timestamp is no number").count - 1
    #expect((1...2).contains(reports))
  }
}

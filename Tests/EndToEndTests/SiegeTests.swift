import EventLoop
import MockGateway
import MockRelay
import TestSupport
import Testing

/// A small siege; `make siege` is the large one and measures.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct SiegeTests {
  @Test func pushesArriveWhileStrangersMakeTrouble() throws {
    let appliance = try Appliance { settings in
      settings.server += "\nheader_timeout_ms = 2000"
      settings.more = "[log]\nlevel = \"info\"\n[limits]\nexempt = []"
    }
    let wallet = try appliance.registered()
    let body = Appliance.raw("forged")
    var head = "POST /clients/\(wallet.clientID) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n"
    for field in try MockRelay().pushFields(body, timestamp: WallClock.seconds()) {
      head += "\(field.name): \(field.value)\r\n"
    }
    let siege = try Siege(
      port: appliance.port, idle: 150, slow: 50, flooders: 3, request: Array((head + "\r\n").utf8) + body)
    defer { siege.lift() }
    let client = appliance.client()
    var longest = Duration.zero
    var count = 0
    // Until the flood is refused for its rate and the slow ones are cut off.
    while count < 50 || siege.floodAnswers[429] == nil || siege.slowEnded == 0, count < 100_000 {
      let start = MonotonicTime.now()
      #expect(try appliance.push(wallet.clientID, Appliance.raw("\(count)"), over: client).status == 202)
      longest = max(longest, .now() - start)
      count += 1
    }
    #expect(longest < .seconds(5), "\(longest)")
    #expect(siege.idleOpen == 150)
    let answers = siege.floodAnswers
    #expect(answers[401] ?? 0 > 0)
    #expect(Set(answers.keys).isSubset(of: [401, 429, 503]), "\(answers)")
    #expect(appliance.gateway.deliveryCount == count)
  }
}

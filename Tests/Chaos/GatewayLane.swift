import EventLoop
import MockGateway

/// Trouble at the gateways: GOAWAY, connections that end or die, refusals that pass, pages of a middlebox.
struct GatewayLane: Lane {
  let gateway: MockGateway

  enum Kind: CaseIterable {
    case goAway, shutdown, disconnect, disconnectAll, dead, blackHole, refusedConnections, unavailable, page,
      resetStream, goAwayOnRequest, silence, acceptedAndReset, tooMany, revokedTokens, fewStreams
  }

  func disturb(_ kind: Kind, _ random: inout Randomness) throws -> String {
    let service: MockGateway.Service = Bool.random(using: &random) ? .apnsProduction : .fcm
    let count = Int.random(in: 1...8, using: &random)
    switch kind {
    case .goAway: gateway.goAway(at: service)
    case .shutdown: gateway.goAway(at: service, reason: "Shutdown")
    case .disconnect: gateway.disconnectOne(at: service)
    case .disconnectAll: gateway.disconnectAll(at: service)
    case .dead: gateway.silenceConnections(at: service)
    case .blackHole:
      gateway.setBlackHole(true, at: service)
      pause(random.milliseconds(200...1500))
      gateway.setBlackHole(false, at: service)
    case .refusedConnections:
      gateway.stopListening(at: service)
      pause(random.milliseconds(200...1500))
      try gateway.listenAgain(at: service)
    case .unavailable:
      gateway.next(
        count, service == .fcm ? .fcm(.unavailable) : .apns(.serviceUnavailable), at: service)
    case .page:
      let status = [403, 404, 502, 503].randomElement(using: &random) ?? 502
      gateway.next(count, .html(status), at: service)
    case .resetStream: gateway.next(count, .reset(.refusedStream), at: service)
    case .goAwayOnRequest: gateway.next(1, .goAway(), at: service)
    case .silence: gateway.next(1, .neverAnswer, at: service)
    case .acceptedAndReset: gateway.next(1, .disconnect.afterAccepting, at: service)
    case .tooMany:
      gateway.next(
        1, service == .fcm ? .fcm(.quotaExceeded, retryAfter: 1) : .apns(.tooManyRequests), at: service)
    case .revokedTokens: gateway.revokeAccessTokens()
    case .fewStreams:
      gateway.setMaxConcurrentStreams(Int.random(in: 1...3, using: &random), at: service)
      pause(random.milliseconds(200...800))
      gateway.setMaxConcurrentStreams(100, at: service)
    }
    pause(random.milliseconds(50...400))
    return "gateway: \(kind)"
  }

  func settle() {
    gateway.clearReactions()
  }
}

import Service
import Testing

@testable import API
@testable import Store

/// What is said to an operator who asks why a client gets no push.
@Suite struct VerdictTests {
  private func summary(_ kind: TokenKind = .apns, tombstone: Tombstone? = nil) throws -> ClientSummary {
    ClientSummary(
      key: try ClientKey(client: "z6Mk"), kind: kind, alwaysRaw: true, authenticated: false,
      createdAt: 1_796_000_000_000, updatedAt: 1_796_000_000_000, generation: 1, tokenIndex: [],
      tombstone: tombstone)
  }

  private func verdict(
    _ summary: ClientSummary?, gateway: GatewayHealth.State? = .ok, kinds: Set<TokenKind> = [.apns]
  ) -> Verdict {
    Verdict(summary, nil, calls: [], gateway: gateway, kinds: kinds)
  }

  @Test func theFirstReasonThatHoldsIsNamed() throws {
    #expect(verdict(nil).code == .notRegistered)
    let dead = try summary(tombstone: Tombstone(reason: "Unregistered", time: 1_796_000_000_000))
    // Whatever else is wrong.
    let buried = verdict(dead, gateway: .degraded(reason: "x"), kinds: [])
    #expect(buried.code == .tombstoned)
    #expect(buried.text.contains("APNs said Unregistered on 2026-11-30"))
    #expect(verdict(try summary(.fcm)).code == .noGateway)
    #expect(verdict(try summary(.fcm)).advice?.contains("[fcm]") == true)
    let refused = verdict(
      try summary(), gateway: .rejected(reason: "InvalidProviderToken", advice: "check the key"))
    #expect(refused.code == .gatewayTrouble)
    #expect(refused.advice == "check the key")
    let quiet = verdict(try summary(), gateway: .unused)
    #expect(quiet.code == .noPushSeen)
    #expect(quiet.level == .warning)
  }

  @Test func aTokenThatMayBeOurFaultIsExplained() throws {
    let dead = try summary(tombstone: Tombstone(reason: "BadDeviceToken", time: 0))
    #expect(verdict(dead).advice?.contains("environment is probably wrong") == true)
  }
}

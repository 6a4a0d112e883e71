import EventLoop
import Store
import Testing

@testable import Service

@Suite struct DeliveryRingTests {
  private func trace(_ client: String, _ result: PushResult = .accepted) -> PushTrace {
    let trace = PushTrace()
    trace.client = client
    trace.received = MonotonicTime(nanoseconds: 1_000_000)
    trace.verified = MonotonicTime(nanoseconds: 1_500_000)
    trace.ended = MonotonicTime(nanoseconds: 3_000_000)
    trace.result = result
    return trace
  }

  @Test func theNewestComesFirstAndTheOldestGives() {
    let ring = DeliveryRing(capacity: 3, problemCapacity: 2)
    for index in 1...5 { ring.append(trace("c\(index)")) }
    #expect(ring.find(DeliveryQuery(), limit: 10).map(\.clientID) == ["c5", "c4", "c3"])
    #expect(ring.find(DeliveryQuery(), limit: 2).map(\.clientID) == ["c5", "c4"])
    #expect(ring.latest == 5)
  }

  @Test func whatFailedOutlastsWhatArrived() {
    let ring = DeliveryRing(capacity: 2, problemCapacity: 4)
    ring.append(trace("bad", .gatewayTimeout))
    for index in 1...4 { ring.append(trace("c\(index)")) }
    ring.append(trace("worse", .unknownClient))
    let found = ring.find(DeliveryQuery(), limit: 10)
    // Once each, whichever part of the ring it is in.
    #expect(found.map(\.clientID) == ["worse", "c4", "bad"])
    let problems = ring.find(DeliveryQuery(results: PushResultLabel.problems), limit: 10)
    #expect(problems.map(\.clientID) == ["worse", "bad"])
    #expect(ring.find(DeliveryQuery(clientPrefix: "ba"), limit: 10).map(\.clientID) == ["bad"])
    #expect(ring.find(DeliveryQuery(kind: .fcm), limit: 10).isEmpty)
  }

  @Test func aTailSaysWhatItCouldNotShow() {
    let ring = DeliveryRing(capacity: 4)
    for index in 1...3 { ring.append(trace("c\(index)")) }
    let first = ring.tail(after: 1, DeliveryQuery(), limit: 10)
    #expect(first.records.map(\.clientID) == ["c2", "c3"])
    #expect(first.missed == 0)
    #expect(first.next == 3)
    for index in 4...10 { ring.append(trace("c\(index)")) }
    let second = ring.tail(after: first.next, DeliveryQuery(), limit: 2)
    #expect(second.records.map(\.clientID) == ["c9", "c10"])
    // Three were overwritten, two did not fit.
    #expect(second.missed == 5)
    #expect(ring.tail(after: 10, DeliveryQuery(), limit: 2).records.isEmpty)
  }

  @Test func aRecordTellsEachStepOnce() {
    let trace = trace("c", .gatewayUnavailable(reason: "HTTP 503"))
    trace.sent = MonotonicTime(nanoseconds: 1_700_000)
    trace.retries.append((MonotonicTime(nanoseconds: 2_000_000), "HTTP 500"))
    let record = DeliveryRecord(trace, now: MonotonicTime(nanoseconds: 1_001_000_000), wallNow: 5000)
    #expect(record.receivedAt == 4000)
    #expect(record.duration == 2_000_000)
    #expect(record.retries == 1)
    #expect(record.steps.map(\.name) == [.received, .verified, .sent, .retried, .answered])
    #expect(record.steps.map(\.offset) == [0, 500_000, 700_000, 1_000_000, 2_000_000])
    #expect(record.steps.last?.text == "gateway_unavailable: HTTP 503")
    #expect(record.detail == "HTTP 503")
  }
}

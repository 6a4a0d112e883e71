import EventLoop
import HTTP
import JSON
import Relay
import Service
import Store

/// The latest pushes: a list, and as they end.
extension AdminRoutes {
  private static let maximumList = 500
  private static let standardList = 100

  /// The filters of a request; nil when it was answered because they are wrong.
  private func query(_ call: Call) -> (DeliveryQuery, QueryParameters)? {
    guard let parameters = QueryParameters(call.request.query) else {
      call.fail(400, "field", "the query is malformed")
      return nil
    }
    var query = DeliveryQuery()
    if let outcome = parameters["outcome"] {
      if outcome == "problems" {
        query.results = PushResultLabel.problems
      } else if let label = PushResultLabel(rawValue: outcome) {
        query.results = [label]
      } else {
        call.fail(400, "field", "outcome must be problems or one of the outcomes")
        return nil
      }
    }
    if let name = parameters["gateway"] {
      guard let kind = TokenKind(name: name) else {
        call.fail(400, "field", "gateway must be apns, apns-sandbox or fcm")
        return nil
      }
      query.kind = kind
    }
    if let text = parameters["client_id"] {
      do throws(ClientIDError) {
        query.clientPrefix = try ClientID(text).text
      } catch {
        call.fail(400, "field", error.description)
        return nil
      }
    }
    return (query, parameters)
  }

  func deliveries(_ call: Call) {
    guard let (query, parameters) = query(call) else { return }
    var limit = Self.standardList
    if let text = parameters["limit"] {
      guard let number = Int(text), (1...Self.maximumList).contains(number) else {
        return call.fail(400, "field", "limit must be a number from 1 to \(Self.maximumList)")
      }
      limit = number
    }
    shared.gather(loop) { [limit] worker, ring in
      ring.find(query, limit: limit).map { WorkerRecord(worker: worker, record: $0) }
    } _: { records in
      var writer = JSONWriter()
      writer.beginObject()
      writer.key("items")
      writer.records(records.merged(limit: limit))
      writer.endObject()
      call.respond(.json(200, writer.bytes))
    }
  }

  func streamDeliveries(session: String, _ call: Call) {
    guard let (query, _) = query(call) else { return }
    let isAdmitted = shared.usage.withLock { usage in
      guard usage.streams < AdminUsage.streamLimit else { return false }
      usage.streams += 1
      return true
    }
    guard isAdmitted else { return call.fail(429, "busy", "too many streams are open", retryAfter: 5) }
    let stream = DeliveryStream(shared, loop: loop, session: session, query: query)
    // First, as answering a HEAD request closes the body at once.
    stream.prepare()
    call.respond(ServerSentEvents.head, streaming: stream.body)
    stream.start()
  }
}

/// A record with the number of the worker that it is from.
struct WorkerRecord: Sendable {
  var worker: Int
  var record: DeliveryRecord
}

extension [[WorkerRecord]] {
  /// Of all workers, newest first.
  func merged(limit: Int) -> [WorkerRecord] {
    Array<WorkerRecord>(joined().sorted { $0.record.receivedAt > $1.record.receivedAt }.prefix(limit))
  }
}

extension JSONWriter {
  mutating func records(_ records: [WorkerRecord]) {
    beginArray()
    for entry in records { delivery(entry.record, worker: entry.worker) }
    endArray()
  }
}

/// Tells one browser of pushes as they end: looks at every worker's ring some times a second, so that a push costs the
/// same whether anybody watches or not. Lives as long as its body is open. Loop thread only.
final class DeliveryStream {
  private static let interval = Duration.milliseconds(250)
  private static let heartbeatInterval = Duration.seconds(15)
  /// Records told at a time.
  private static let batch = 200
  /// Bytes on the way to the browser beyond which nothing more is read.
  private static let highWater = 262_144

  let body = HTTPBodyStream()
  private let shared: AdminShared
  private let loop: EventLoop
  private let session: String
  private let query: DeliveryQuery
  /// How far each worker's ring was read.
  private var positions: [UInt64] = []
  private var lastWrite = MonotonicTime.now()

  init(_ shared: AdminShared, loop: EventLoop, session: String, query: DeliveryQuery) {
    self.shared = shared
    self.loop = loop
    self.session = session
    self.query = query
  }

  /// From here on the end of the body gives the stream's place back.
  func prepare() {
    let usage = shared.usage
    body.onClose = { usage.withLock { $0.streams -= 1 } }
    body.onShutdown = { [self] in finish() }
  }

  func start() {
    guard body.isOpen else { return }
    write(ServerSentEvents.heartbeat)
    shared.gather(loop) { _, ring in
      ring.latest
    } _: { [self] positions in
      self.positions = positions
      scheduleLook()
    }
  }

  private func finish() {
    guard body.isOpen else { return }
    shared.usage.withLock { $0.streams -= 1 }
    body.finish()
  }

  private func scheduleLook() {
    guard body.isOpen else { return }
    loop.schedule(after: Self.interval) { [self] in look() }
  }

  private func look() {
    guard body.isOpen else { return }
    guard shared.sessions.session(session, now: shared.clock()) != nil else {
      write(ServerSentEvents.event("signed_out", Array("{}".utf8)))
      return finish()
    }
    if .now() - lastWrite >= Self.heartbeatInterval { write(ServerSentEvents.heartbeat) }
    // The browser is behind: what it misses meanwhile is counted.
    guard body.pendingBytes < Self.highWater else { return scheduleLook() }
    let positions = self.positions
    let query = self.query
    shared.gather(loop) { worker, ring in
      ring.tail(
        after: worker < positions.count ? positions[worker] : ring.latest, query, limit: Self.batch)
    } _: { [self] tails in
      tell(tails)
      scheduleLook()
    }
  }

  private func tell(_ tails: [DeliveryRing.Tail]) {
    positions = tails.map(\.next)
    let missed = tails.reduce(0) { $0 + $1.missed }
    if missed > 0 {
      write(ServerSentEvents.event("dropped", Array(#"{"count":\#(missed)}"#.utf8)))
    }
    let records = tails.enumerated().flatMap { worker, tail in
      tail.records.map { WorkerRecord(worker: worker, record: $0) }
    }
    for entry in records.sorted(by: { $0.record.receivedAt < $1.record.receivedAt }) {
      var writer = JSONWriter()
      writer.delivery(entry.record, worker: entry.worker)
      write(
        ServerSentEvents.event(
          "delivery", id: "\(entry.worker)-\(entry.record.number)", writer.bytes))
    }
  }

  private func write(_ bytes: [UInt8]) {
    lastWrite = .now()
    body.write(bytes)
  }
}

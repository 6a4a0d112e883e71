@testable import HTTP

/// What a driver would know, and a peer that does as chance has it.
struct PoolModel {
  struct Connection {
    var isReady = false
    var isAway = false
    var maxStreams = 0
    /// Streams, with the request as long as it is wanted.
    var streams: [UInt64?] = []
    var isClosing = false
  }

  var connections: [Int: Connection] = [:]
  var waiting: Set<UInt64> = []
  var running: Set<UInt64> = []
  var ended: Set<UInt64> = []
  var refused = 0
  var nextRequest: UInt64 = 1
  var backoffArmed = false
  var isFinished = false
  var problem: String?

  var streams: Int { connections.values.reduce(0) { $0 + $1.streams.count } }

  mutating func end(_ id: UInt64) {
    if !ended.insert(id).inserted { problem = "request \(id) ended twice" }
    waiting.remove(id)
    running.remove(id)
  }

  /// The stream goes on without anybody waiting for it.
  mutating func abandon(_ request: UInt64) {
    for (id, connection) in connections {
      if let index = connection.streams.firstIndex(of: request) { connections[id]?.streams[index] = nil }
    }
  }

  mutating func perform(_ actions: [HTTP2PoolState.Action], _ pool: inout HTTP2PoolState) {
    for action in actions {
      switch action {
      case .open(let id):
        if connections.values.contains(where: { !$0.isReady && !$0.isClosing }) { problem = "two attempts" }
        if backoffArmed { problem = "opened during backoff" }
        connections[id] = Connection()
      case .start(let request, let id):
        if waiting.remove(request) == nil { problem = "started what does not wait" }
        running.insert(request)
        guard let connection = connections[id], connection.isReady, !connection.isAway,
          !connection.isClosing, connection.streams.count < connection.maxStreams
        else {
          problem = "no room on \(id)"
          return
        }
        connections[id]?.streams.append(request)
      case .fail(let request, _):
        end(request)
        abandon(request)
      case .close(let id):
        if connections[id]?.streams.isEmpty == false { problem = "closed under a stream" }
        connections[id]?.isClosing = true
      case .armBackoff:
        if backoffArmed { problem = "armed twice" }
        backoffArmed = true
      case .finished:
        if isFinished { problem = "finished twice" }
        isFinished = true
      }
    }
  }

  mutating func step(_ pool: inout HTTP2PoolState, _ random: inout SplitMix) {
    let id = connections.keys.sorted().randomElement(using: &random)
    let connection = id.flatMap { connections[$0] }
    switch Int.random(in: 0..<16, using: &random) {
    case 0...4:
      waiting.insert(nextRequest)
      nextRequest += 1
      perform(pool.enqueue(nextRequest - 1), &pool)
    case 5:
      guard let id, let connection, !connection.isReady, !connection.isClosing else { return }
      let count = Int.random(in: 0...4, using: &random)
      connections[id]?.isReady = true
      connections[id]?.maxStreams = count
      perform(pool.connectionReady(id, maxStreams: count), &pool)
    case 6:
      guard let id, connection?.isReady == true else { return }
      let count = Int.random(in: 0...6, using: &random)
      connections[id]?.maxStreams = count
      perform(pool.settingsChanged(id, maxStreams: count), &pool)
    case 7...10:
      // A stream ends: with an answer, refused, or failed.
      guard let id, let connection, !connection.streams.isEmpty else { return }
      let request = connection.streams[0]
      connections[id]?.streams.removeFirst()
      guard let request else { return perform(pool.streamClosed(id, answered: false), &pool) }
      if Int.random(in: 0..<4, using: &random) == 0 {
        perform(pool.streamClosed(id, answered: false), &pool)
        running.remove(request)
        waiting.insert(request)
        refused += 1
        perform(pool.requestRefused(request), &pool)
      } else {
        end(request)
        perform(pool.requestDone(request), &pool)
        perform(pool.streamClosed(id, answered: true), &pool)
      }
    case 11:
      guard let request = (waiting.sorted() + running.sorted()).randomElement(using: &random) else { return }
      abandon(request)
      end(request)
      perform(pool.requestDone(request), &pool)
    case 12:
      guard let id, connection?.isReady == true else { return }
      connections[id]?.isAway = true
      perform(pool.goAway(id, hasTaken: Bool.random(using: &random)), &pool)
    case 13:
      guard let id, connection?.isClosing == true || Int.random(in: 0..<3, using: &random) == 0 else {
        return
      }
      connections[id] = nil
      perform(pool.connectionClosed(id, .connectFailed("chance")), &pool)
    case 14:
      guard backoffArmed else { return }
      backoffArmed = false
      perform(pool.backoffElapsed(), &pool)
    default:
      guard let id, connection?.isClosing == false else { return }
      perform(pool.connectionIdle(id), &pool)
    }
  }
}

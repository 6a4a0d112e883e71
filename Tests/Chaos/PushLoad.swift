import Bytes
import EventLoop
import Glibc
import MockRelay
import TestSupport

/// The relay's side: signed pushes without pause, each repeated a few times where the answer asks for it.
final class PushLoad: Sendable {
  struct Result: Sendable {
    /// Messages that were answered 202, or 200 as repeated ones.
    var acknowledged: [String] = []
    /// Those whose last answer was 5xx.
    var refused = 0
    /// Answers of other kinds, and pushes that never got one.
    var wrong: [String] = []
    /// The longest wait for an answer, or for a connection's end without one.
    var longest = Duration.zero
    /// How many answers of each status there were.
    var statuses: [Int: Int] = [:]

    mutating func add(_ other: Result) {
      acknowledged += other.acknowledged
      refused += other.refused
      wrong += other.wrong
      longest = max(longest, other.longest)
      statuses.merge(other.statuses, uniquingKeysWith: +)
    }
  }

  /// How often a push is sent at most when it is answered 5xx.
  private static let attempts = 3
  /// How long a push is repeated that gets no answer, since the server is away.
  private static let patience = Duration.seconds(60)

  private let server: ChaosServer
  private let clients: [String]
  private let result = Locked(Result())

  init(_ server: ChaosServer, clients: [String]) {
    self.server = server
    self.clients = clients
  }

  var outcome: Result { result.withLock { $0 } }

  /// Pushes on so many threads until `pace`, which also waits between two, says that it is over.
  func run(threads: Int, pace: @escaping @Sendable () -> Bool) throws -> [SystemThread] {
    try (0..<threads).map { thread in
      try SystemThread(name: "push-\(thread)") { [self] in
        var index = 0
        var connection = Connection(server)
        while pace() {
          let client = clients[(index * threads + thread) % clients.count]
          deliver("push.\(thread).\(index)", to: client, over: &connection)
          index += 1
        }
      }
    }
  }

  /// One push to every client: those that are not acknowledged in the end.
  func pushToAll(_ round: String) -> [String] {
    var connection = Connection(server)
    return clients.filter { !deliver("\(round).\($0)", to: $0, over: &connection) }
  }

  @discardableResult
  private func deliver(_ message: String, to client: String, over connection: inout Connection) -> Bool {
    let body = MockRelay.rawBody(topic: "chaos", tag: 1108, message: message)
    let begun = MonotonicTime.now()
    var part = Result()
    var answers = 0
    var last: BlockingHTTPResponse?
    while answers < Self.attempts, .now() - begun < Self.patience {
      let start = MonotonicTime.now()
      let response = connection.push(body, to: client)
      part.longest = max(part.longest, .now() - start)
      if let response {
        answers += 1
        last = response
        part.statuses[response.status, default: 0] += 1
        guard response.status >= 500 else { break }
      }
      pause(.milliseconds(100))
    }
    switch last?.status {
    case 200, 202: part.acknowledged.append(message)
    case .some(500...): part.refused += 1
    case .some(let status): part.wrong.append("\(message): \(status) \(last?.text ?? "")")
    case nil: part.wrong.append("\(message): no answer in \(Self.patience)")
    }
    result.withLock { $0.add(part) }
    return last.map { $0.status < 300 } ?? false
  }
}

/// A connection to wherever the server listens now.
private struct Connection {
  private let server: ChaosServer
  private var port: UInt16 = 0
  private var http: BlockingHTTPClient?

  init(_ server: ChaosServer) {
    self.server = server
  }

  /// Nil when no answer came.
  mutating func push(_ body: [UInt8], to client: String) -> BlockingHTTPResponse? {
    let now = server.port
    if port != now { http = nil }
    port = now
    let http = self.http ?? BlockingHTTPClient(port: now)
    self.http = http
    do {
      return try http.send(
        "POST", "/clients/\(client)", fields: server.relay.pushFields(body, timestamp: WallClock.seconds()),
        body: body)
    } catch {
      self.http = nil
      return nil
    }
  }
}

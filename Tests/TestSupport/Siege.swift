import Bytes
import EventLoop
import Glibc

/// What besieges a server on loopback: connections that do nothing, connections that send a byte now and then,
/// and a flood of requests that cost a signature check each. All come from addresses of their own.
public final class Siege: Sendable {
  /// Connections that share an address.
  private static let perAddress = 100

  private let isOver = Locked(false)
  private let answers = Locked<[Int: Int]>([:])
  private let reconnects = Locked(0)
  /// Only held open.
  private let idle = Locked<[RawConnection]>([])
  private let threads: [SystemThread]

  /// - Parameters:
  ///   - idle: connections that make one request and then none.
  ///   - slow: connections whose request never ends.
  ///   - flooders: threads that send `request` again and again, each on a connection of its own.
  public init(port: UInt16, idle count: Int, slow: Int, flooders: Int, request: [UInt8]) throws {
    let (isOver, answers, reconnects, idle) = (isOver, answers, reconnects, idle)
    for index in 0..<count {
      let connection = try RawConnection(port: port, source: Self.source(1, index))
      connection.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
      guard try connection.readResponse() != nil else {
        throw TestSupportError("idle connection \(index) was refused")
      }
      idle.withLock { $0.append(connection) }
    }
    var threads = [
      try SystemThread(name: "slow") {
        Self.crawl(port, slow, { isOver.withLock { $0 } }, { reconnects.withLock { $0 += 1 } })
      }
    ]
    for index in 0..<flooders {
      threads.append(
        try SystemThread(name: "flood-\(index)") {
          Self.flood(port, index, request, { isOver.withLock { $0 } }) { status in
            answers.withLock { $0[status, default: 0] += 1 }
          }
        })
    }
    self.threads = threads
  }

  /// The flood's answers by status; 0 for none.
  public var floodAnswers: [Int: Int] { answers.withLock { $0 } }
  /// Slow connections that the server had ended.
  public var slowEnded: Int { reconnects.withLock { $0 } }
  /// Idle connections that are still open.
  public var idleOpen: Int { idle.withLock { $0.count { $0.isSilent } } }

  /// Ends it all. Once only.
  public func lift() {
    isOver.withLock { $0 = true }
    for thread in threads { thread.join() }
    idle.withLock { $0 = [] }
  }

  private static func source(_ net: Int, _ index: Int) -> String { "127.0.\(net).\(1 + index / perAddress)" }

  /// Each connection sends a byte a second.
  private static func crawl(_ port: UInt16, _ count: Int, _ isOver: () -> Bool, _ onEnd: () -> Void) {
    var connections: [RawConnection?] = []
    while !isOver() {
      for index in 0..<count where !isOver() {
        if index == connections.count { connections.append(nil) }
        if let connection = connections[index], connection.isSilent, connection.send("a") { continue }
        if connections[index] != nil { onEnd() }
        connections[index] = try? RawConnection(port: port, source: source(2, index))
        connections[index]?.send("GET /health HTTP/1.1\r\nHost: a\r\nX: ")
      }
      for _ in 0..<10 where !isOver() { usleep(100_000) }
    }
  }

  private static func flood(
    _ port: UInt16, _ index: Int, _ request: [UInt8], _ isOver: () -> Bool, _ onAnswer: (Int) -> Void
  ) {
    var connection: RawConnection?
    while !isOver() {
      if connection == nil { connection = try? RawConnection(port: port, source: "127.0.3.\(1 + index)") }
      guard let open = connection, open.send(request), let answer = try? open.readResponse() else {
        connection = nil
        onAnswer(0)
        continue
      }
      onAnswer(Int(answer.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0)
    }
  }
}

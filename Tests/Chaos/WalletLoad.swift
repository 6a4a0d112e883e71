import Bytes
import EventLoop
import Glibc
import JSON
import MockRelay
import TestSupport

/// Clients that register and unregister without pause and know what the server must have stored.
public final class WalletLoad: Sendable {
  private let threads: [Locked<Expectation>]

  public init(threads: Int) {
    self.threads = (0..<threads).map { Locked(Expectation(prefix: "t\($0)-")) }
  }

  /// Answers with 200 so far.
  public var acknowledged: Int { threads.reduce(0) { $0 + $1.withLock { $0.acknowledged } } }
  /// Answers that were no 200 so far, and those of them that were no 503.
  public var refused: Int { threads.reduce(0) { $0 + $1.withLock { $0.refused } } }
  public var unexpected: [String] { threads.flatMap { $0.withLock { $0.unexpected } } }
  /// The longest that an answer took.
  public var longest: Duration { threads.reduce(.zero) { max($0, $1.withLock { $0.longest }) } }

  /// Lets the clients loose on the server; `end` must make their connections fail.
  public func run(port: UInt16, until end: () -> Void) throws {
    let running = try threads.map { expectation in
      try SystemThread(name: "load") {
        let client = BlockingHTTPClient(port: port)
        while Self.step(client, expectation) {}
      }
    }
    end()
    for thread in running { thread.join() }
  }

  /// The same against a server that comes and goes, until `pace` says that it is over; it also waits between two
  /// requests. `port` is where the server listens now.
  public func run(
    port: @escaping @Sendable () -> UInt16, pace: @escaping @Sendable () -> Bool
  ) throws -> [SystemThread] {
    try threads.map { expectation in
      try SystemThread(name: "wallets") {
        while pace() {
          let client = BlockingHTTPClient(port: port())
          while pace(), Self.step(client, expectation) {}
        }
      }
    }
  }

  /// What contradicts the answers that the clients got; nil when nothing does. What is found is the state
  /// from here on. `rows` is the output of `pushbox export`.
  public func contradiction(_ rows: String) throws -> String? {
    try contradiction(Self.tokens(inExport: rows))
  }

  /// The same for the tokens by client ID.
  public func contradiction(_ tokens: [String: String]) -> String? {
    var stored = tokens
    for thread in threads {
      if let problem = thread.withLock({ $0.contradiction(&stored) }) { return problem }
    }
    return stored.isEmpty ? nil : "nobody registered \(stored.keys.sorted())"
  }

  /// The device token of each client ID in the output of `pushbox export`.
  public static func tokens(inExport rows: String) throws -> [String: String] {
    var tokens: [String: String] = [:]
    for line in rows.split(separator: "\n") where line.hasPrefix("{") {
      let row = try JSON.parse(Array(line.utf8))
      tokens[row["client_id"]?.stringValue ?? ""] = row["token"]?.stringValue ?? ""
    }
    return tokens
  }

  /// Makes one request; false when it got no answer.
  private static func step(_ client: BlockingHTTPClient, _ expectation: Locked<Expectation>) -> Bool {
    let operation = expectation.withLock { $0.begin() }
    let start = MonotonicTime.now()
    let response = try? operation.send(over: client)
    expectation.withLock { $0.answered(response, after: .now() - start) }
    return response != nil
  }
}

private enum WalletOperation {
  case register(client: String, token: String)
  case delete(client: String)

  func send(over http: BlockingHTTPClient) throws -> BlockingHTTPResponse {
    switch self {
    case .register(let client, let token):
      try http.send(
        "POST", "/clients", fields: [("content-type", "application/json")],
        body: MockWallet.body(clientID: client, type: "fcm", token: token, alwaysRaw: true))
    case .delete(let client): try http.send("DELETE", "/clients/\(client)")
    }
  }

  func applied(to rows: [String: String]) -> [String: String] {
    var rows = rows
    switch self {
    case .register(let client, let token):
      // The newest registration of a token wins.
      rows = rows.filter { $0.value != token }
      rows[client] = token
    case .delete(let client): rows[client] = nil
    }
    return rows
  }
}

/// What one client may find after a crash: all that was answered, and the one request under way or not.
private struct Expectation {
  let prefix: String
  private(set) var acknowledged = 0
  private(set) var refused = 0
  private(set) var unexpected: [String] = []
  private(set) var longest = Duration.zero
  private var rows: [String: String] = [:]
  private var pending: WalletOperation?

  init(prefix: String) {
    self.prefix = prefix
  }

  mutating func begin() -> WalletOperation {
    // A refused request is made again, as a wallet would: it may be in the store or not.
    if let pending { return pending }
    let client = prefix + "\(Int.random(in: 0..<40))"
    let operation: WalletOperation =
      Int.random(in: 0..<10) < 3
      ? .delete(client: client)
      : .register(client: client, token: "\(prefix)token-\(Int.random(in: 0..<30))")
    pending = operation
    return operation
  }

  /// - Parameter response: nil when none came.
  mutating func answered(_ response: BlockingHTTPResponse?, after time: Duration) {
    longest = max(longest, time)
    guard let response else { return }
    guard response.status == 200, let operation = pending else {
      refused += 1
      if response.status != 503 { unexpected.append("\(response.status) \(response.text)") }
      return
    }
    acknowledged += 1
    rows = operation.applied(to: rows)
    pending = nil
  }

  mutating func contradiction(_ stored: inout [String: String]) -> String? {
    let mine = stored.filter { $0.key.hasPrefix(prefix) }
    for client in mine.keys { stored[client] = nil }
    guard mine == rows || mine == pending?.applied(to: rows) else {
      let lost = rows.filter { mine[$0.key] != $0.value }
      let extra = mine.filter { rows[$0.key] != $0.value }
      return "\(prefix): lost \(lost), phantom \(extra), under way \(String(describing: pending))"
    }
    rows = mine
    pending = nil
    return nil
  }
}

import EventLoop

/// Where the load goes and over how many connections.
struct LoadTarget: Sendable {
  var host = "127.0.0.1"
  var port: UInt16
  var connections = 64
  /// Requests under way on each connection.
  var depth = 1
}

/// What came of a batch of requests.
struct LoadResult: Sendable {
  var duration = Duration.zero
  /// Microseconds, in the order of the answers.
  var latencies: [UInt32] = []
  /// How often each status came.
  var statuses: [Int: Int] = [:]
  /// How often connections failed, by reason.
  var failures: [String: Int] = [:]
  /// Requests that got no answer because their connection failed.
  var lost = 0
}

/// Sends batches of requests over connections that stay open, on a thread of its own.
final class LoadDriver: Sendable {
  private let thread: LoopThread
  private let batch: LoopBound<LoadBatch>

  init(_ target: LoadTarget) throws(SystemError) {
    let thread = try LoopThread(name: "load")
    let loop = thread.loop
    self.thread = thread
    batch = LoopBound(LoadBatch(loop: loop, target: target), loop: loop)
  }

  /// Sends all `requests`, or as many as begin within `limit`, and waits for their answers.
  func run(_ requests: [[UInt8]], limit: Duration? = nil) -> LoadResult {
    let done = Rendezvous<LoadResult>()
    batch.run { $0.run(requests, limit: limit) { done.give($0) } }
    return done.wait()
  }

  func stop() {
    let done = Rendezvous<Bool>()
    batch.run {
      $0.close()
      done.give(true)
    }
    _ = done.wait()
    thread.stopAndJoin()
  }
}

/// The batch under way. Loop thread only.
private final class LoadBatch: LoadSource {
  private let loop: EventLoop
  private let target: LoadTarget
  private var connections: [LoadConnection] = []
  private var requests: [[UInt8]] = []
  private var nextIndex = 0
  private var answersDue = 0
  private var start = MonotonicTime.now()
  private var end: MonotonicTime?
  private var result = LoadResult()
  private var completion: ((LoadResult) -> Void)?

  init(loop: EventLoop, target: LoadTarget) {
    self.loop = loop
    self.target = target
  }

  func run(_ requests: [[UInt8]], limit: Duration?, _ completion: @escaping (LoadResult) -> Void) {
    self.requests = requests
    self.completion = completion
    nextIndex = 0
    result = LoadResult()
    result.latencies.reserveCapacity(requests.count)
    start = .now()
    end = limit.map { start + $0 }
    let missing = target.connections - connections.count
    for connection in connections { connection.fill() }
    for _ in 0..<max(0, missing) {
      connections.append(
        LoadConnection(
          loop: loop, host: target.host, port: target.port, depth: target.depth, source: self))
    }
    finishIfDone()
  }

  func close() {
    for connection in connections { connection.close() }
    connections = []
  }

  func nextRequest() -> [UInt8]? {
    guard nextIndex < requests.count else { return nil }
    if let end, MonotonicTime.now() >= end { return nil }
    defer { nextIndex += 1 }
    answersDue += 1
    return requests[nextIndex]
  }

  func answered(status: Int, after latency: Duration) {
    answersDue -= 1
    result.latencies.append(UInt32(clamping: latency.wholeNanoseconds / 1000))
    result.statuses[status, default: 0] += 1
    finishIfDone()
  }

  func failed(_ reason: String, lost: Int) {
    answersDue -= lost
    result.lost += lost
    result.failures[reason, default: 0] += 1
    connections.removeAll { $0.hasFailed }
    finishIfDone()
  }

  /// Ends the batch when nothing is under way and nothing more will be sent.
  private func finishIfDone() {
    guard answersDue == 0, let completion else { return }
    let isOver = nextIndex >= requests.count || end.map { MonotonicTime.now() >= $0 } ?? false
    guard isOver || connections.isEmpty else { return }
    self.completion = nil
    result.duration = .now() - start
    completion(result)
  }
}

@testable import HTTP

/// What the tests of the pool's state share.
protocol HTTP2PoolSuite {}

extension HTTP2PoolSuite {
  var lost: HTTP2ClientError { .connectFailed("refused") }

  func pool(_ change: (inout HTTP2PoolState.Configuration) -> Void = { _ in }) -> HTTP2PoolState {
    var configuration = HTTP2PoolState.Configuration()
    change(&configuration)
    return HTTP2PoolState(configuration, seed: 42)
  }

  /// A pool whose connection 0 is ready and has answered a request.
  func proven(
    maxStreams: Int, _ change: (inout HTTP2PoolState.Configuration) -> Void = { _ in }
  ) -> HTTP2PoolState {
    var pool = pool(change)
    _ = pool.enqueue(1)
    _ = pool.connectionReady(0, maxStreams: maxStreams)
    _ = pool.streamClosed(0, answered: true)
    _ = pool.requestDone(1)
    return pool
  }

  func isBackoff(_ action: HTTP2PoolState.Action?) -> Bool {
    if case .armBackoff = action { true } else { false }
  }
}

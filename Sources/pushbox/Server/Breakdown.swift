import Bytes

/// What leaves a server no way to go on but to end and be started anew. Any thread.
final class Breakdown: Sendable {
  private struct State: Sendable {
    var reason: String?
    var onReport: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// The first reason reported, nil while all is well.
  var reason: String? { state.withLock { $0.reason } }

  func report(_ reason: String) {
    let action = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.reason == nil else { return nil }
      state.reason = reason
      return state.onReport
    }
    action?()
  }

  /// Calls `action` at the first report; at once if it has been.
  func observe(_ action: @escaping @Sendable () -> Void) {
    let isReported = state.withLock { state in
      state.onReport = action
      return state.reason != nil
    }
    if isReported { action() }
  }
}

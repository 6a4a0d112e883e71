import Bytes
import EventLoop

/// The access token of one service account. All workers share one source, so that one fetch serves them
/// all; it runs on the loop of the worker whose push found the token missing or old.
public final class FCMAccessTokenSource: Sendable {
  /// What a push gets.
  enum Answer: Sendable {
    /// The `authorization` field's value.
    case authorization(String)
    case failed(GatewayOutcome)
  }

  typealias Waiter = @Sendable (Answer) -> Void

  private struct State: Sendable {
    /// Keeps whole authorization values as its tokens, so that no push has to put one together.
    var token = FCMAccessToken()
    var waiters: [Waiter] = []
  }

  public let account: ServiceAccount
  private let clock: @Sendable () -> UInt64
  private let state = Locked(State())

  /// - Parameter clock: gives seconds; it should not jump when the wall clock is set.
  public init(
    account: ServiceAccount,
    clock: @escaping @Sendable () -> UInt64 = { MonotonicTime.now().nanoseconds / 1_000_000_000 }
  ) {
    self.account = account
    self.clock = clock
  }

  /// What to send a push with; nil when it has to wait: then the waiter is called once, on any thread, with
  /// the end of the fetch under way. Begins a fetch through `fetcher`, of the calling loop, when one is due.
  func authorization(through fetcher: FCMTokenFetcher, makeWaiter: () -> Waiter) -> Answer? {
    let now = clock()
    var isFetchDue = false
    let answer: Answer? = state.withLock { state in
      switch state.token.next(now: now) {
      case .use(let authorization): return .authorization(authorization)
      case .useAndFetch(let authorization):
        isFetchDue = true
        return .authorization(authorization)
      case .fetch:
        isFetchDue = true
        state.waiters.append(makeWaiter())
        return nil
      case .wait:
        state.waiters.append(makeWaiter())
        return nil
      case .fail(let outcome): return .failed(outcome)
      }
    }
    if isFetchDue { fetcher.fetch(for: account) { result in self.finish(result) } }
    return answer
  }

  /// Reports that FCM refused `authorization` with 401; true when the push should ask again and be sent once
  /// more.
  func refused(_ authorization: String) -> Bool {
    let now = clock()
    return state.withLock { $0.token.refused(authorization, now: now) }
  }

  private func finish(_ result: FCMTokenExchange.Result) {
    let now = clock()
    let (answer, waiters): (Answer, [Waiter]) = state.withLock { state in
      let answer: Answer
      switch result {
      case .token(let text, let lifetime):
        let authorization = "Bearer " + text
        state.token.received(authorization, lifetime: lifetime, now: now)
        answer = .authorization(authorization)
      case .failed(let outcome):
        state.token.failed(outcome, now: now)
        answer = .failed(outcome)
      }
      let waiters = state.waiters
      state.waiters = []
      return (answer, waiters)
    }
    for waiter in waiters { waiter(answer) }
  }
}

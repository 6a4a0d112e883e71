import EventLoop
import Testing

/// Runs each test of a suite on a thread of its own, so that a blocking client holds up nothing else: the
/// runtime's pool has one thread a core.
public struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
  public let isRecursive = true

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let thread = try LoopThread(name: "test-client")
    let result: Result<Void, any Error> = await withTaskExecutorPreference(thread.loop) {
      do {
        return .success(try await function())
      } catch {
        return .failure(error)
      }
    }
    thread.stopAndJoin()
    try result.get()
  }
}

extension Trait where Self == OwnThreadTrait {
  public static var ownThread: OwnThreadTrait { OwnThreadTrait() }
}

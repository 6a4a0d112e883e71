import Glibc
import Testing

/// Runs `body` on `count` threads at once and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) throws {
  var threads: [pthread_t] = []
  defer { for thread in threads { pthread_join(thread, nil) } }
  for _ in 0..<count {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(ThreadBody(body))
    let status = pthread_create(&thread, nil, runThreadBody, argument.toOpaque())
    if status != 0 { argument.release() }
    try #require(status == 0)
    threads.append(thread)
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
  return nil
}

import CLinux
import Glibc

/// A plain thread of the system.
public struct SystemThread: Sendable {
  private let handle: pthread_t

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread that runs `body`. `name` shows in `ps -L`; the kernel keeps 15 bytes of it.
  public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    var handle = pthread_t()
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    let code = pthread_create(&handle, nil, runThread, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw SystemError(call: "pthread_create", code: code, subject: name)
    }
    self.handle = handle
  }

  /// Waits for the end. Call `join` or `detach` once.
  public func join() {
    pthread_join(handle, nil)
  }

  /// Lets the thread end by itself.
  public func detach() {
    pthread_detach(handle)
  }

  fileprivate static func run(_ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    linux_set_thread_name(String(start.name.prefix(15)))
    start.body()
  }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  SystemThread.run(argument)
  return nil
}

/// An event loop with a thread of its own.
public final class LoopThread: Sendable {
  public let loop: EventLoop
  private let thread: SystemThread

  /// Starts the loop on a new thread.
  public init(name: String) throws(SystemError) {
    let loop = try EventLoop()
    self.loop = loop
    thread = try SystemThread(name: name) { loop.run() }
  }

  /// Ends the loop and waits for its thread. Not from the loop itself.
  public func stopAndJoin() {
    loop.stop()
    thread.join()
  }
}

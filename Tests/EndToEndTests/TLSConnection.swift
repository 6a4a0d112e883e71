import Bytes
import EventLoop
import Glibc
import TLS
import TestSupport

/// A TLS connection to a server on loopback that sends what it is told, with blocking calls.
final class TLSConnection: Sendable {
  private struct State {
    var transport: LoopBound<SocketTransport>?
    var received: [UInt8] = []
    var negotiated: String?
    var isOpen = false
    var hasEnded = false
    var failure: String?
    var waiting: [(condition: @Sendable (State) -> Bool, done: Rendezvous<Bool>)] = []
  }

  /// Loop-owned; tells the connection what happens.
  private final class Delegate: TransportDelegate {
    let change: (@Sendable (inout State) -> Void) -> Void

    init(_ change: @escaping (@Sendable (inout State) -> Void) -> Void) { self.change = change }

    func transportDidConnect(_ transport: any Transport) {
      let negotiated = transport.negotiatedProtocol
      change {
        $0.isOpen = true
        $0.negotiated = negotiated
      }
    }
    func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
      let copy = bytes.withUnsafeBufferPointer { Array($0) }
      change { $0.received += copy }
    }
    func transportDidReadEOF(_ transport: any Transport) { transport.close() }
    func transportDidDrain(_ transport: any Transport) {}
    func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
      let failure = error?.description
      change {
        $0.hasEnded = true
        $0.failure = failure
      }
    }
  }

  private let thread: LoopThread
  private let state = Locked(State())
  private let delegate: LoopBound<Delegate>

  /// Connects; the handshake is over when it returns, for good or ill.
  ///
  /// - Parameter authority: PEM of whom to trust.
  init(port: UInt16, authority: String, protocols: [String]) throws {
    let thread = try LoopThread(name: "tls-test")
    self.thread = thread
    let context = try TLSContext.client(trust: .pem(authority), protocols: protocols)
    let state = self.state
    delegate = thread.loop.runAndWait {
      let delegate = Delegate { change in
        let done = state.withLock { state in
          change(&state)
          let now = state
          let due = state.waiting.filter { $0.condition(now) }
          state.waiting.removeAll { entry in due.contains { $0.done === entry.done } }
          return due
        }
        for entry in done { entry.done.give(true) }
      }
      let transport = SocketTransport.connect(
        loop: thread.loop, host: "127.0.0.1", port: port, timeout: .seconds(10),
        makeLayer: { context.makeLayer(fd: $0, serverName: "127.0.0.1") })
      transport.delegate = delegate
      let bound = LoopBound(transport, loop: thread.loop)
      state.withLock { $0.transport = bound }
      return LoopBound(delegate, loop: thread.loop)
    }
    _ = wait { $0.isOpen || $0.hasEnded }
  }

  deinit {
    let transport = state.withLock { $0.transport }
    thread.loop.runAndWait { transport?.value.abort() }
    thread.stopAndJoin()
  }

  /// The protocol that ALPN chose; nil when the handshake failed or none was chosen.
  var negotiated: String? { state.withLock { $0.negotiated } }
  var isOpen: Bool { state.withLock { $0.isOpen && !$0.hasEnded } }
  /// Why the connection ended; nil after a clean close.
  var failure: String? { state.withLock { $0.failure } }
  var received: [UInt8] { state.withLock { $0.received } }

  func send(_ bytes: [UInt8]) {
    guard let transport = state.withLock({ $0.transport }) else { return }
    transport.run { $0.write(bytes) }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Waits for the end of the connection and gives all that came; nil when it does not end in time.
  func readToEnd() -> [UInt8]? { wait { $0.hasEnded } ? received : nil }

  /// Waits until what came so far satisfies `condition`; false when the connection ends or time is up first.
  func waitForBytes(_ condition: @escaping @Sendable ([UInt8]) -> Bool) -> Bool {
    _ = wait { $0.hasEnded || condition($0.received) }
    return condition(received)
  }

  private func wait(_ condition: @escaping @Sendable (State) -> Bool) -> Bool {
    let done = Rendezvous<Bool>()
    let isDue = state.withLock { state in
      if condition(state) { return true }
      state.waiting.append((condition, done))
      return false
    }
    if isDue { return true }
    thread.loop.execute { [loop = thread.loop] in
      loop.schedule(after: .seconds(30)) { done.give(false) }
    }
    return done.wait()
  }
}

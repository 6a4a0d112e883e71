/// Where a streamed body goes: the connection that carries its response.
protocol HTTPBodySink: AnyObject {
  func write(_ bytes: [UInt8], stream: Int32)
  /// Ends the body and with it the response.
  func finish(stream: Int32)
  /// Breaks the response off so that the peer notices that it is not whole.
  func breakOff(stream: Int32)
  /// Bytes of the body that the peer's side has not taken yet.
  func pendingBytes(stream: Int32) -> Int
}

/// A body that is written while it is sent, such as server-sent events or a large download. Loop thread only.
///
/// Hand it to `HTTPResponder.respond`, keep it, and write. `pendingBytes` and `onDrain` keep a
/// writer from running ahead of its reader.
public final class HTTPBodyStream {
  private enum State {
    /// Not handed over yet: what is written waits here.
    case unsent([UInt8], isFinished: Bool)
    case open
    case closed
  }

  private var state = State.unsent([], isFinished: false)
  private weak var sink: (any HTTPBodySink)?
  private var id: Int32 = 0
  /// Called whenever everything that was written has been taken.
  public var onDrain: (() -> Void)?
  /// Called once when the response is over for any other reason than `finish`: the peer went away, or there
  /// was no peer to begin with.
  public var onClose: (() -> Void)?
  /// Called once when the server is to stop: a stream without an end should `finish`.
  public var onShutdown: (() -> Void)?

  public init() {}

  /// False once nothing more can be written.
  public var isOpen: Bool {
    switch state {
    case .unsent(_, let isFinished): !isFinished
    case .open: true
    case .closed: false
    }
  }

  /// Bytes written but not yet taken.
  public var pendingBytes: Int {
    switch state {
    case .unsent(let bytes, _): bytes.count
    case .open: sink?.pendingBytes(stream: id) ?? 0
    case .closed: 0
    }
  }

  /// Sends `bytes` next; without effect when the body has ended.
  public func write(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    switch state {
    case .unsent(let earlier, isFinished: false): state = .unsent(earlier + bytes, isFinished: false)
    case .open: sink?.write(bytes, stream: id)
    case .unsent, .closed: break
    }
  }

  /// Ends the body.
  public func finish() {
    switch state {
    case .unsent(let bytes, _): state = .unsent(bytes, isFinished: true)
    case .open:
      end()
      sink?.finish(stream: id)
    case .closed: break
    }
  }

  /// Gives the body up: the peer sees that it is not whole.
  public func breakOff() {
    guard case .open = state else { return end() }
    end()
    sink?.breakOff(stream: id)
  }

  private func end() {
    state = .closed
    onDrain = nil
    onClose = nil
    onShutdown = nil
  }

  // MARK: Connection

  /// The head is on its way; from now on the body goes to `sink`.
  func open(_ sink: any HTTPBodySink, stream: Int32) {
    guard case .unsent(let bytes, let isFinished) = state else { return sink.finish(stream: stream) }
    self.sink = sink
    id = stream
    state = .open
    write(bytes)
    if isFinished { finish() }
  }

  func didDrain() {
    guard case .open = state else { return }
    onDrain?()
  }

  /// The response is over without the writer's doing.
  func close() {
    let action = onClose
    end()
    action?()
  }

  func shutdown() {
    let action = onShutdown
    onShutdown = nil
    action?()
  }
}

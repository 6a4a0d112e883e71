/// Answers requests. Called on the loop of the connection.
public protocol HTTPHandler: AnyObject {
  /// Answers `request` through `responder`, at once or later, on the same loop.
  func handle(_ request: HTTPRequest, _ responder: HTTPResponder)
}

/// Where an answer goes: the connection that the request came by.
public protocol HTTPResponseSink: AnyObject {
  /// Called at most once for each stream that got a responder. HTTP/1.1 counts its requests as streams.
  func send(_ response: HTTPResponse, stream: Int32)
  /// The same with a body that comes by and by; that of `response` is not sent.
  func send(_ response: HTTPResponse, body: HTTPBodyStream, stream: Int32)
  /// Called instead of `send` when the responder was let go without an answer.
  func sendFailure(stream: Int32)
}

extension HTTPResponseSink {
  /// For sinks that cannot stream.
  public func send(_ response: HTTPResponse, body: HTTPBodyStream, stream: Int32) {
    body.close()
    sendFailure(stream: stream)
  }

  public func sendFailure(stream: Int32) {
    send(.empty(500), stream: stream)
  }
}

/// The one chance to answer a request. Belongs to the connection's loop thread; it must be used and
/// let go there. Letting go of it without an answer sends 500, so that no peer waits for ever.
///
/// The handler's side owns the responder; the connection refers to it weakly.
public final class HTTPResponder {
  private var sink: (any HTTPResponseSink)?
  private let stream: Int32
  private var cancellation: (() -> Void)?

  /// True once the peer went away: an answer is not worth computing any more and is dropped.
  public private(set) var isCancelled = false

  public init(sink: any HTTPResponseSink, stream: Int32) {
    self.sink = sink
    self.stream = stream
  }

  /// Called once when the peer goes away before the answer; at once when it already has.
  public var onCancel: (() -> Void)? {
    get { cancellation }
    set {
      if isCancelled {
        newValue?()
      } else if sink != nil {
        cancellation = newValue
      }
    }
  }

  /// True after the first `respond(_:)`.
  public var hasResponded: Bool { sink == nil && !isCancelled }

  /// Sends the answer. Only the first call counts; after a cancellation it does nothing.
  public func respond(_ response: HTTPResponse) {
    guard let sink else { return }
    self.sink = nil
    cancellation = nil
    sink.send(response, stream: stream)
  }

  /// Begins an answer whose body is written to `body`. As with `respond(_:)`, only the first call counts.
  public func respond(_ head: HTTPResponse, streaming body: HTTPBodyStream) {
    guard let sink else { return body.close() }
    self.sink = nil
    cancellation = nil
    sink.send(head, body: body, stream: stream)
  }

  /// The connection says that the peer went away. Does nothing after an answer.
  public func cancel() {
    guard sink != nil else { return }
    sink = nil
    isCancelled = true
    let action = cancellation
    cancellation = nil
    action?()
  }

  deinit {
    sink?.sendFailure(stream: stream)
  }
}

import EventLoop

/// Gives a connection its work and hears what became of it.
protocol LoadSource: AnyObject {
  /// The next request to send; nil when there is none.
  func nextRequest() -> [UInt8]?
  func answered(status: Int, after latency: Duration)
  /// The connection is gone, with `lost` requests unanswered.
  func failed(_ reason: String, lost: Int)
}

/// One keep-alive connection with at most `depth` requests under way. Loop thread only.
final class LoadConnection: TransportDelegate {
  private let transport: SocketTransport
  private let depth: Int
  private unowned let source: any LoadSource
  private var reader = ResponseReader()
  /// When the requests under way were sent, a ring of `depth` places.
  private var sent: [MonotonicTime]
  private var firstSent = 0
  private var underWay = 0
  private(set) var isOpen = false
  private(set) var hasFailed = false
  private var isClosing = false

  init(loop: EventLoop, host: String, port: UInt16, depth: Int, source: any LoadSource) {
    self.depth = depth
    self.source = source
    sent = Array(repeating: .now(), count: depth)
    transport = SocketTransport.connect(loop: loop, host: host, port: port, timeout: .seconds(10))
    transport.delegate = self
  }

  /// Sends until `depth` requests are under way or the source has no more.
  func fill() {
    while isOpen, underWay < depth, let request = source.nextRequest() {
      sent[(firstSent + underWay) % depth] = .now()
      underWay += 1
      transport.write(request)
    }
  }

  func close() {
    isClosing = true
    transport.close()
  }

  private func give(up reason: String) {
    guard !hasFailed else { return }
    isOpen = false
    hasFailed = true
    let lost = underWay
    underWay = 0
    source.failed(reason, lost: lost)
  }

  func transportDidConnect(_ transport: any Transport) {
    isOpen = true
    fill()
  }

  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    reader.append(bytes)
    do throws(ResponseError) {
      while let response = try reader.next() {
        guard underWay > 0 else { throw ResponseError(description: "a response to no request") }
        let latency = MonotonicTime.now() - sent[firstSent]
        firstSent = (firstSent + 1) % depth
        underWay -= 1
        source.answered(status: response.status, after: latency)
        guard !response.closes else { throw ResponseError(description: "the server closes the connection") }
      }
      fill()
    } catch {
      give(up: error.description)
      transport.abort()
    }
  }

  func transportDidReadEOF(_ transport: any Transport) {
    transport.close()
  }

  func transportDidDrain(_ transport: any Transport) {}

  func transport(_ transport: any Transport, didCloseWith error: TransportError?) {
    guard !isClosing else { return }
    give(up: error?.description ?? "the server closed the connection")
  }
}

import EventLoop
import HTTP
import Testing

/// A peer that takes nothing of what it is sent.
private final class DeafTransport: Transport {
  weak var delegate: (any TransportDelegate)?
  let remoteAddress: SocketAddress? = nil
  let negotiatedProtocol: String? = nil
  private(set) var pendingWriteBytes = 0
  private(set) var isClosing = false
  var onAbort: () -> Void = {}

  func write(_ bytes: [UInt8]) { pendingWriteBytes += bytes.count }
  func pauseReading() {}
  func resumeReading() {}
  func close() { isClosing = true }
  func abort() {
    delegate?.transport(self, didCloseWith: nil)
    onAbort()
  }
}

@Suite(.timeLimit(.minutes(10))) struct HTTP2ServerClosingTests {
  /// What the peer did not take before it broke the rules holds the connection for the write timeout, not for ever.
  @Test func lastWordsThatNobodyTakesEnd() async throws {
    var wasDropped = false
    var wasClosing = false
    try await withLoop { loop in
      var options = HTTPServerOptions()
      options.writeTimeout = .milliseconds(50)
      let context = HTTPServerContext(
        loop: loop, options: options, handler: ClosureHandler { _, _ in })
      let transport = DeafTransport()
      let connection = try HTTP2ServerConnection(transport: transport, context: context)
      transport.onAbort = {
        wasDropped = true
        wasClosing = transport.isClosing && transport.pendingWriteBytes > 0
        loop.stop()
        // Kept until here.
        connection.onClose = nil
      }
      connection.transportDidConnect(transport)
      let noFrame = clientPreface + frame(4) + frame(0, stream: 0, [1])
      connection.transport(transport, didRead: noFrame.span)
    }
    #expect(wasDropped)
    #expect(wasClosing, "otherwise it was dropped for another reason")
  }
}

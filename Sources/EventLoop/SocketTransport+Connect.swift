extension SocketTransport {
  /// Connects to `host` and `port`; the delegate, to be set at once, hears how it went.
  ///
  /// - Parameter timeout: bounds look-up, TCP connection and the layer's handshake together.
  public static func connect(
    loop: EventLoop, host: String, port: UInt16, timeout: Duration, makeLayer: LayerFactory? = nil
  ) -> SocketTransport {
    let transport = SocketTransport(loop: loop, makeLayer: makeLayer)
    let connector = Connector(loop: loop, host: host, port: port, deadline: loop.now + timeout) { result in
      transport.connector = nil
      switch result {
      case .success(let (fd, address)): transport.adopt(fd: fd, address: address)
      case .failure(let error): transport.finish(error)
      }
    }
    transport.connector = connector
    transport.phaseTimer = loop.schedule(after: timeout) {
      transport.finish(.connectTimedOut(address: "\(host):\(port)"))
    }
    // Not within this call: the caller has yet to set the delegate.
    loop.schedule(at: loop.now) {
      guard transport.phase == .connecting else { return }
      connector.start()
    }
    return transport
  }
}

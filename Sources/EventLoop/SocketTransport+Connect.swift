extension SocketTransport {
  /// Connects to `host` and `port`, through `proxy` where there is one; the delegate, to be set at once, hears
  /// how it went.
  public static func connect(
    loop: EventLoop, host: String, port: UInt16, timeouts: ConnectTimeouts, proxy: OutboundProxy? = nil,
    makeLayer: LayerFactory? = nil
  ) -> SocketTransport {
    let transport = SocketTransport(loop: loop, makeLayer: makeLayer)
    transport.handshakeTimeout = timeouts.handshake
    let connector = Connector(
      loop: loop, host: proxy?.host ?? host, port: proxy?.port ?? port, timeouts: timeouts
    ) { result in
      transport.opening = nil
      switch result {
      case .success(let (fd, address)):
        guard let proxy else { return transport.adopt(fd: fd, address: address) }
        transport.tunnel(
          HTTPTunnelHandshake(proxy: proxy, host: host, port: port), fd, address, timeouts.connect)
      case .failure(let error): transport.finish(error)
      }
    }
    transport.opening = connector
    // Not within this call: the caller has yet to set the delegate.
    loop.schedule(at: loop.now) {
      guard transport.phase == .connecting else { return }
      connector.start()
    }
    return transport
  }

  /// The same with one timeout for each step.
  public static func connect(
    loop: EventLoop, host: String, port: UInt16, timeout: Duration, makeLayer: LayerFactory? = nil
  ) -> SocketTransport {
    connect(
      loop: loop, host: host, port: port, timeouts: ConnectTimeouts(each: timeout), makeLayer: makeLayer)
  }

  private func tunnel(
    _ handshake: HTTPTunnelHandshake, _ fd: Int32, _ address: SocketAddress, _ timeout: Duration
  ) {
    let tunnel = HTTPTunnel(loop: loop, fd: fd, handshake: handshake, timeout: timeout) { result in
      self.opening = nil
      switch result {
      case .success(let fd): self.adopt(fd: fd, address: address)
      case .failure(let error): self.finish(error)
      }
    }
    opening = tunnel
    tunnel.start()
  }
}

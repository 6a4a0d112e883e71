/// Why a transport ended, in words for an operator.
public enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The host has no address.
  case resolveFailed(host: String, reason: String)
  /// No address of the host took the connection; the reason is the last one's.
  case connectFailed(address: String, reason: String)
  /// No TCP connection in time.
  case connectTimedOut(address: String)
  /// The TLS handshake was not done in time.
  case handshakeTimedOut(address: String)
  /// The proxy does not let the connection through.
  case proxyFailed(proxy: String, reason: String)
  /// The TLS handshake or a record failed.
  case tls(TLSFailure)
  /// The connection broke.
  case lost(String)

  public var description: String {
    switch self {
    case .resolveFailed(let host, let reason): "cannot resolve \(host): \(reason)"
    case .connectFailed(let address, let reason): "cannot connect to \(address): \(reason)"
    case .connectTimedOut(let address): "no connection to \(address) within the time allowed"
    case .handshakeTimedOut(let address): "no TLS handshake with \(address) within the time allowed"
    case .proxyFailed(let proxy, let reason): "proxy \(proxy): \(reason)"
    case .tls(let reason): "TLS: \(reason)"
    case .lost(let reason): "connection lost: \(reason)"
    }
  }
}

/// A stream of bytes to a peer, on a loop. Loop thread only.
public protocol Transport: AnyObject {
  /// Gets what happens; held weakly.
  var delegate: (any TransportDelegate)? { get set }
  /// The peer.
  var remoteAddress: SocketAddress? { get }
  /// The protocol that ALPN chose (RFC 7301); nil on plain TCP or when the peer chose none.
  var negotiatedProtocol: String? { get }
  /// Bytes written but not yet taken by the kernel.
  var pendingWriteBytes: Int { get }
  /// Queues `bytes`; they are sent at the end of the loop's turn.
  func write(_ bytes: [UInt8])
  /// Stops reading until `resumeReading`: back-pressure to the peer.
  func pauseReading()
  func resumeReading()
  /// Closes after what is pending was sent (with TLS, after close_notify).
  func close()
  /// Closes at once.
  func abort()
}

/// Receives what happens on a transport.
public protocol TransportDelegate: AnyObject {
  /// The stream is open: TCP connected and, with TLS, the handshake done. Also called for accepted ones.
  func transportDidConnect(_ transport: any Transport)
  /// `bytes` arrived; they are lent for the call only.
  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>)
  /// The peer will send no more.
  func transportDidReadEOF(_ transport: any Transport)
  /// Everything pending was handed to the kernel.
  func transportDidDrain(_ transport: any Transport)
  /// The last call, exactly once; nil after a clean close.
  func transport(_ transport: any Transport, didCloseWith error: TransportError?)
}

/// What one call on a layer came to.
public enum LayerResult: Sendable, Equatable {
  /// Done, with that many bytes where bytes were moved.
  case done(Int)
  /// Call again when the socket can be read.
  case wantRead
  /// Call again when the socket can be written.
  case wantWrite
  /// The peer ended its side.
  case endOfStream
  case failed(TransportError)
}

/// What stands between a socket and its bytes, such as TLS.
public protocol TransportLayer: AnyObject {
  /// Goes on with the handshake.
  func handshake() -> LayerResult
  /// Reads into `buffer`, as much as there is.
  func read(into buffer: inout MutableSpan<UInt8>) -> LayerResult
  /// Writes some of `bytes`.
  func write(_ bytes: Span<UInt8>) -> LayerResult
  /// Tells the peer that no more comes, as far as that works without waiting.
  func sendCloseNotify()
  /// The protocol that ALPN chose.
  var negotiatedProtocol: String? { get }
}

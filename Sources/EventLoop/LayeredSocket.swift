import CLinux
import Glibc

/// A connected socket and the layer over it, if any. Reads and writes once, without waiting. Owns the descriptor.
final class LayeredSocket {
  let descriptor: Int32
  /// Set once it is made; nil means plain TCP.
  var layer: (any TransportLayer)?

  init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    // The layer works on the descriptor.
    layer = nil
    Glibc.close(descriptor)
  }

  /// The error that epoll tells of, an `errno` value; 0 when there is none.
  var pendingError: Int32 { Socket.pendingError(of: descriptor) }

  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> LayerResult {
    if let layer { return Self.read(layer, into: buffer) }
    return discard(into: buffer)
  }

  /// On its own since Swift 6.3.1, optimising, stops with "Found ownership error" when the span is made
  /// within `read`.
  private static func read(
    _ layer: any TransportLayer, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> LayerResult {
    var span = buffer.mutableSpan
    return layer.read(into: &span)
  }

  /// Reads past the layer: what comes after we have ended is of no use.
  func discard(into buffer: UnsafeMutableBufferPointer<UInt8>) -> LayerResult {
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 { return .done(count) }
    if count == 0 { return .endOfStream }
    if errno == EAGAIN || errno == EINTR { return .wantRead }
    return .failed(.lost(SystemError.text(errno)))
  }

  func write(_ bytes: Span<UInt8>) -> LayerResult {
    if let layer { return layer.write(bytes) }
    let count = bytes.withUnsafeBufferPointer {
      send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if count >= 0 { return .done(count) }
    if errno == EAGAIN || errno == EINTR { return .wantWrite }
    return .failed(.lost(SystemError.text(errno)))
  }

  /// Tells the peer that no more comes.
  func endWriting() {
    layer?.sendCloseNotify()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// No lingering in the kernel: the peer sees a reset.
  func resetAtClose() {
    var option = CLinux.linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<CLinux.linger>.size))
  }
}

import COpenSSL
import EventLoop
import Glibc

/// TLS between one socket and its bytes. Owns the `SSL` handle.
final class TLSLayer: TransportLayer {
  /// Keeps the context, and so its ALPN list, alive as long as the connection.
  private let context: TLSContext
  private let ssl: OpaquePointer
  /// OpenSSL must not be asked to shut down after a fatal error.
  private var failed = false
  private(set) var negotiatedProtocol: String?
  private let serverName: String?
  /// Whether the handshake went on from an earlier one.
  var isResumed: Bool { SSL_session_reused(ssl) == 1 }

  init?(context: TLSContext, handle: OpaquePointer?, fd: Int32, serverName: String?) {
    guard let handle else { return nil }
    self.context = context
    ssl = handle
    self.serverName = serverName
    guard SSL_set_fd(ssl, fd) == 1 else { return nil }
    if context.isServer {
      SSL_set_accept_state(ssl)
      return
    }
    SSL_set_connect_state(ssl)
    guard let serverName else { return }
    if SocketAddress(ip: serverName, port: 0) != nil {
      guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), serverName) == 1 else { return nil }
    } else {
      SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      guard SSL_set1_host(ssl, serverName) == 1 else { return nil }
      var name = Array(serverName.utf8CString)
      SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
    }
    // Index 0 is the application's own; the layer outlives its handle.
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    context.sessions.resume(ssl, for: serverName)
  }

  deinit {
    SSL_free(ssl)
  }

  func handshake() -> LayerResult {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    guard result == 1 else { return outcome(of: result, handshaking: true) }
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    if let name, length > 0 {
      negotiatedProtocol = String(
        decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }
    return .done(0)
  }

  func read(into buffer: inout MutableSpan<UInt8>) -> LayerResult {
    ERR_clear_error()
    var count = 0
    let result = buffer.withUnsafeMutableBufferPointer { SSL_read_ex(ssl, $0.baseAddress, $0.count, &count) }
    return result == 1 ? .done(count) : outcome(of: result, handshaking: false)
  }

  func write(_ bytes: Span<UInt8>) -> LayerResult {
    ERR_clear_error()
    var count = 0
    let result = bytes.withUnsafeBufferPointer { SSL_write_ex(ssl, $0.baseAddress, $0.count, &count) }
    return result == 1 ? .done(count) : outcome(of: result, handshaking: false)
  }

  func sendCloseNotify() {
    guard !failed else { return }
    ERR_clear_error()
    SSL_shutdown(ssl)
  }

  /// Takes a session over; false when there is no name to keep it for.
  func keep(_ session: OpaquePointer) -> Bool {
    guard let serverName else { return false }
    context.sessions.keep(session, for: serverName)
    return true
  }

  private func outcome(of result: Int32, handshaking: Bool) -> LayerResult {
    // Read before anything else can change it.
    let systemCode = errno
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wantRead
    case SSL_ERROR_WANT_WRITE: return .wantWrite
    case SSL_ERROR_ZERO_RETURN: return .endOfStream
    case SSL_ERROR_SYSCALL:
      failed = true
      if systemCode == 0 { return .endOfStream }
      return .failed(.lost(String(cString: strerror(systemCode))))
    default:
      failed = true
      let verification = handshaking ? SSL_get_verify_result(ssl) : Int(X509_V_OK)
      return .failed(.tls(TLSFailure.take(verification: verification)))
    }
  }
}

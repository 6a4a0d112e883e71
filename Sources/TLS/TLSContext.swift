import COpenSSL
import Crypto
import EventLoop
import Glibc

/// Settings that many TLS connections share: certificates, trust, protocols. TLS 1.2 at least.
public final class TLSContext: Sendable {
  /// Whose certificates a client accepts.
  public enum Trust: Sendable {
    /// The system's roots (Debian package ca-certificates).
    case system
    /// The system's roots and those in a PEM file.
    case systemAnd(file: String)
    /// The CA certificates in a PEM file, and no others.
    case file(String)
    /// The certificates in a PEM file, whoever issued them: for a peer whose certificate is known.
    case exactly(file: String)
    /// The CA certificates in a PEM text, and no others.
    case pem(String)
  }

  /// Safe to share: OpenSSL counts references atomically, and the context is not changed once made.
  nonisolated(unsafe) private let context: OpaquePointer
  /// ALPN names in wire form (RFC 7301 section 3.1): each with its length before it.
  let wireProtocols: [UInt8]
  let isServer: Bool
  /// A client's sessions.
  let sessions = TLSSessionCache()

  /// For connections to servers, whose certificate and name are always verified. Sessions are resumed.
  ///
  /// - Parameter identity: shown to servers that ask for a certificate.
  public static func client(
    trust: Trust, protocols: [String], identity: TLSIdentity? = nil
  ) throws(TLSError) -> TLSContext {
    let context = try TLSContext(server: false, protocols: protocols)
    SSL_CTX_set_verify(context.context, SSL_VERIFY_PEER, nil)
    try context.load(trust)
    if let identity { try context.use(identity) }
    SSL_CTX_ctrl(context.context, SSL_CTRL_SET_SESS_CACHE_MODE, cacheForClientOutside, nil)
    SSL_CTX_sess_set_new_cb(context.context, keepSession)
    guard
      SSL_CTX_set_alpn_protos(context.context, context.wireProtocols, UInt32(context.wireProtocols.count))
        == 0
    else { throw .library(TLSError.lastReason()) }
    return context
  }

  /// For accepted connections.
  ///
  /// - Parameters:
  ///   - certificateChain: PEM, the server's own certificate first.
  ///   - privateKey: PEM.
  ///   - protocols: in the order of preference.
  ///   - clientTrust: whose certificates clients must show; nil asks for none.
  public static func server(
    certificateChain: String, privateKey: String, protocols: [String], clientTrust: Trust? = nil
  ) throws(TLSError) -> TLSContext {
    let context = try TLSContext(server: true, protocols: protocols)
    try context.use(TLSIdentity(certificateChain: certificateChain, privateKey: privateKey))
    if let clientTrust {
      SSL_CTX_set_verify(context.context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
      try context.load(clientTrust)
    }
    // Of TLS 1.2 only what is sealed and forward-secret; TLS 1.3 has nothing else.
    guard SSL_CTX_set_cipher_list(context.context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 else {
      throw .library(TLSError.lastReason())
    }
    // Without it a server that verifies clients refuses to resume.
    SSL_CTX_set_session_id_context(context.context, Array("pushbox".utf8), 7)
    SSL_CTX_set_alpn_select_cb(
      context.context, selectProtocol, Unmanaged.passUnretained(context).toOpaque())
    return context
  }

  private init(server: Bool, protocols: [String]) throws(TLSError) {
    // OpenSSL writes to the socket without MSG_NOSIGNAL; a broken connection must be an error code.
    signal(SIGPIPE, SIG_IGN)
    ERR_clear_error()
    guard let context = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()) else {
      throw .library(TLSError.lastReason())
    }
    self.context = context
    isServer = server
    wireProtocols = protocols.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8.prefix(255)) }
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    // Partial and moving writes: our queue may grow between two tries. Buffers of idle connections
    // are given back. Read-ahead takes a record in one system call instead of two.
    SSL_CTX_ctrl(
      context, SSL_CTRL_MODE,
      Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS), nil
    )
    SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, nil)
    // The framing above tells a truncated message from a whole one, so a missing close_notify is just an end.
    SSL_CTX_set_options(context, ignoreUnexpectedEOF | noCompression | noRenegotiation)
  }

  deinit {
    SSL_CTX_free(context)
  }

  private func load(_ trust: Trust) throws(TLSError) {
    switch trust {
    case .system: try loadSystemRoots()
    case .systemAnd(let path):
      try loadSystemRoots()
      try loadFile(path)
    case .file(let path): try loadFile(path)
    case .exactly(let path):
      try loadFile(path)
      X509_STORE_set_flags(SSL_CTX_get_cert_store(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    case .pem(let text):
      let store = SSL_CTX_get_cert_store(context)
      let certificates = try TLSError.reading("CA certificate") { () throws(CryptoError) in
        try PEM.certificates(text)
      }
      for certificate in certificates { X509_STORE_add_cert(store, certificate.pointer) }
    }
  }

  private func loadSystemRoots() throws(TLSError) {
    guard SSL_CTX_set_default_verify_paths(context) == 1 else {
      throw .badTrust(file: "the system's roots", reason: TLSError.lastReason())
    }
  }

  private func loadFile(_ path: String) throws(TLSError) {
    guard SSL_CTX_load_verify_file(context, path) == 1 else {
      throw .badTrust(file: path, reason: TLSError.lastReason())
    }
  }

  private func use(_ identity: TLSIdentity) throws(TLSError) {
    guard SSL_CTX_use_certificate(context, identity.certificate) == 1,
      SSL_CTX_use_PrivateKey(context, identity.key) == 1
    else { throw .library(TLSError.lastReason()) }
    for issuer in identity.chain {
      X509_up_ref(issuer)
      // Takes ownership when it succeeds.
      guard SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 0, UnsafeMutableRawPointer(issuer)) == 1 else {
        X509_free(issuer)
        throw .library(TLSError.lastReason())
      }
    }
  }

  /// A layer for a connected socket.
  ///
  /// - Parameter serverName: for a client, the name the certificate must carry, also sent as SNI unless
  ///   it is an IP address (RFC 6066 section 3).
  public func makeLayer(fd: Int32, serverName: String? = nil) -> Result<any TransportLayer, TransportError> {
    guard let layer = TLSLayer(context: self, handle: SSL_new(context), fd: fd, serverName: serverName) else {
      return .failure(.tls(.library(TLSError.lastReason())))
    }
    return .success(layer)
  }
}

// Written out since the headers give them as shifts in macros, which Swift does not import.
private let ignoreUnexpectedEOF: UInt64 = 1 << 7
private let noCompression: UInt64 = 1 << 17
private let noRenegotiation: UInt64 = 1 << 30
/// SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL: we keep sessions by name ourselves.
private let cacheForClientOutside = 0x301

/// A session that a client may resume; 1 takes the reference over.
private func keepSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
  guard let ssl, let session, let data = SSL_get_ex_data(ssl, 0) else { return 0 }
  let layer = Unmanaged<TLSLayer>.fromOpaque(data).takeUnretainedValue()
  return layer.keep(session) ? 1 : 0
}

/// ALPN on the server: the first of our protocols that the client offers; none in common ends the
/// handshake with the alert that RFC 7301 section 3.2 asks for.
private func selectProtocol(
  _ ssl: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ outLength: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let argument, let offered, let out, let outLength else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  let context = Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
  let client = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
  var ours = context.wireProtocols[...]
  while let length = ours.popFirst() {
    let name = ours.prefix(Int(length))
    ours = ours.dropFirst(Int(length))
    var index = 0
    while index < client.count {
      let end = index + 1 + Int(client[index])
      guard end <= client.count else { return SSL_TLSEXT_ERR_ALERT_FATAL }
      if client[(index + 1)..<end].elementsEqual(name) {
        out.pointee = offered + index + 1
        outLength.pointee = client[index]
        return SSL_TLSEXT_ERR_OK
      }
      index = end
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}

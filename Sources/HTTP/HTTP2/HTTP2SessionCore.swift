import CNghttp2

/// Owns one nghttp2 session: what client and server have in common. Does no I/O.
final class HTTP2SessionCore {
  let recorder: HTTP2SessionRecorder
  private let handle: OpaquePointer
  private var block: HTTP2HeaderBlock

  /// A session with its first SETTINGS, and a connection window of `connectionWindow` bytes, in its
  /// output. `neverIndexed` names what is kept out of the HPACK dynamic table.
  init(
    isServer: Bool, limits: HTTP2SessionRecorder.Limits, settings: [nghttp2_settings_entry],
    connectionWindow: Int, neverIndexed: Set<String>
  ) throws(HTTP2Error) {
    let recorder = HTTP2SessionRecorder(isServer: isServer, limits: limits)
    let table = try HTTP2Callbacks.make()
    defer { nghttp2_session_callbacks_del(table) }
    var session: OpaquePointer?
    // The recorder outlives the handle: `deinit` ends the handle before properties are released.
    let userData = Unmanaged.passUnretained(recorder).toOpaque()
    let code =
      isServer
      ? nghttp2_session_server_new(&session, table, userData)
      : nghttp2_session_client_new(&session, table, userData)
    guard code == 0, let session else { throw .outOfMemory }
    self.recorder = recorder
    handle = session
    block = HTTP2HeaderBlock(neverIndexed: neverIndexed)
    try check(nghttp2_submit_settings(handle, 0, settings, settings.count))
    let window = Int32(clamping: connectionWindow)
    if window > 65_535 {
      try check(nghttp2_session_set_local_window_size(handle, 0, 0, window))
    }
  }

  deinit {
    nghttp2_session_del(handle)
  }

  private func check(_ code: Int32) throws(HTTP2Error) {
    if code < 0 { throw HTTP2Error(libraryCode: Int(code)) }
  }

  // MARK: Bytes

  /// Takes bytes from the peer. After an error the session is of no more use.
  func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) {
    let result = bytes.withUnsafeBufferPointer { buffer in
      nghttp2_session_mem_recv(handle, buffer.baseAddress, buffer.count)
    }
    submitPendingResets()
    if result < 0 { throw HTTP2Error(libraryCode: result) }
  }

  /// Appends what is to be sent to `output`, and stops once `output` holds `limit` bytes or more: at
  /// most one frame over it.
  func appendOutput(to output: inout [UInt8], limit: Int) throws(HTTP2Error) {
    while output.count < limit {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(handle, &bytes)
      guard count >= 0 else { throw HTTP2Error(libraryCode: count) }
      let hadResets = !recorder.pendingResets.isEmpty
      submitPendingResets()
      guard count > 0, let bytes else {
        if hadResets { continue }
        return
      }
      output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }
  }

  private func submitPendingResets() {
    for (stream, code) in recorder.pendingResets where recorder.streams[stream] != nil {
      reset(stream, code)
    }
    recorder.pendingResets.removeAll(keepingCapacity: true)
  }

  var wantsRead: Bool { nghttp2_session_want_read(handle) != 0 }
  var wantsWrite: Bool { nghttp2_session_want_write(handle) != 0 }

  // MARK: Messages

  /// Puts a request on a new stream; `build` adds the fields.
  func submitRequest(
    body: [UInt8], _ build: (inout HTTP2HeaderBlock) throws(HTTP2Error) -> Void
  ) throws(HTTP2Error) -> Int32 {
    block.removeAll()
    try build(&block)
    var provider = nghttp2_data_provider()
    provider.read_callback = http2ReadBody
    let stream = block.withVector { fields, count in
      body.isEmpty
        ? nghttp2_submit_request(handle, nil, fields, count, nil, nil)
        : nghttp2_submit_request(handle, nil, fields, count, &provider, nil)
    }
    try check(stream)
    recorder.streams[stream] = HTTP2Stream(outboundBody: body)
    return stream
  }

  /// Answers on `stream`; without effect when it is gone.
  ///
  /// - Parameter isStreamed: more of the body follows by `appendBody`.
  func submitResponse(
    _ stream: Int32, body: [UInt8], isStreamed: Bool = false,
    _ build: (inout HTTP2HeaderBlock) throws(HTTP2Error) -> Void
  ) throws(HTTP2Error) {
    guard let state = recorder.streams[stream] else { return }
    block.removeAll()
    try build(&block)
    state.outboundBody = body
    state.outboundIsOpen = isStreamed
    var provider = nghttp2_data_provider()
    provider.read_callback = http2ReadBody
    try check(
      block.withVector { fields, count in
        body.isEmpty && !isStreamed
          ? nghttp2_submit_response(handle, stream, fields, count, nil)
          : nghttp2_submit_response(handle, stream, fields, count, &provider)
      })
  }

  /// Adds to the body of a streamed response; `isEnd` ends it.
  func appendBody(_ stream: Int32, _ bytes: [UInt8], isEnd: Bool) {
    guard let state = recorder.streams[stream], state.outboundIsOpen else { return }
    state.outboundBody.removeFirst(state.outboundOffset)
    state.outboundOffset = 0
    state.outboundBody.append(contentsOf: bytes)
    if isEnd { state.outboundIsOpen = false }
    guard state.outboundIsDeferred else { return }
    state.outboundIsDeferred = false
    // Fails only for want of memory, which the next call on the session reports.
    _ = nghttp2_session_resume_data(handle, stream)
  }

  /// Bytes of a stream's body that are not in the output yet.
  func pendingBody(_ stream: Int32) -> Int {
    recorder.streams[stream].map { $0.outboundBody.count - $0.outboundOffset } ?? 0
  }

  /// Sends a header block that does not end the stream: an interim response.
  func submitInterimResponse(_ stream: Int32, status: Int) throws(HTTP2Error) {
    guard recorder.streams[stream] != nil else { return }
    block.removeAll()
    block.add(":status", String(status))
    try check(
      block.withVector { fields, count in
        nghttp2_submit_headers(handle, 0, stream, nil, fields, count, nil)
      })
  }

  // MARK: Control

  func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
    // Fails for want of memory alone; the next call on the session reports that.
    _ = nghttp2_submit_rst_stream(handle, 0, stream, code.rawValue)
  }

  func ping(_ payload: UInt64) throws(HTTP2Error) {
    try check(
      withUnsafeBytes(of: payload.bigEndian) { bytes in
        nghttp2_submit_ping(handle, 0, bytes.bindMemory(to: UInt8.self).baseAddress)
      })
  }

  func submitSettings(_ settings: [nghttp2_settings_entry]) throws(HTTP2Error) {
    try check(nghttp2_submit_settings(handle, 0, settings, settings.count))
  }

  func announceShutdown() throws(HTTP2Error) {
    try check(nghttp2_submit_shutdown_notice(handle))
  }

  func goAway(lastStream: Int32, _ code: HTTP2ErrorCode, debugData: [UInt8]) throws(HTTP2Error) {
    recorder.requestLimit = min(recorder.requestLimit, lastStream)
    try check(nghttp2_submit_goaway(handle, 0, lastStream, code.rawValue, debugData, debugData.count))
  }

  /// Sends GOAWAY and wants neither to read nor to write after it.
  func terminate(_ code: HTTP2ErrorCode) {
    _ = nghttp2_session_terminate_session(handle, code.rawValue)
  }

  /// The highest stream of the peer's that was taken: what a GOAWAY must name at least, or the peer makes
  /// requests again that are served here.
  var lastProcessedStream: Int32 { recorder.lastRequest }

  /// How many streams the peer lets us have open at once.
  var peerMaxConcurrentStreams: Int {
    Int(nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  /// False once GOAWAY was sent or received or the stream IDs are used up.
  var canSubmitRequest: Bool { nghttp2_session_check_request_allowed(handle) != 0 }
}

/// One entry of a SETTINGS frame.
func http2Setting(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
  nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
}

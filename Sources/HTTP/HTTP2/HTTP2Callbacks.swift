import CNghttp2

// The functions that the library calls. Each finds the recorder through `user_data`, which the session
// that owns the library's handle keeps alive for longer than the handle.

/// The callback table that all sessions share; it lives as long as the process.
enum HTTP2Callbacks {
  static func make() throws(HTTP2Error) -> OpaquePointer {
    var table: OpaquePointer?
    guard nghttp2_session_callbacks_new(&table) == 0, let table else { throw .outOfMemory }
    nghttp2_session_callbacks_set_on_begin_headers_callback(table, onBeginHeaders)
    nghttp2_session_callbacks_set_on_header_callback(table, onHeader)
    nghttp2_session_callbacks_set_on_invalid_header_callback(table, onInvalidHeader)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table, onDataChunk)
    nghttp2_session_callbacks_set_on_frame_recv_callback(table, onFrameReceived)
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(table, onInvalidFrame)
    nghttp2_session_callbacks_set_on_frame_send_callback(table, onFrameSent)
    nghttp2_session_callbacks_set_on_frame_not_send_callback(table, onFrameNotSent)
    nghttp2_session_callbacks_set_on_stream_close_callback(table, onStreamClose)
    return table
  }
}

private typealias Frame = UnsafePointer<nghttp2_frame>

private func recorder(_ userData: UnsafeMutableRawPointer?) -> HTTP2SessionRecorder? {
  userData.map { Unmanaged<HTTP2SessionRecorder>.fromOpaque($0).takeUnretainedValue() }
}

private func isKind(_ frame: Frame, _ type: nghttp2_frame_type) -> Bool {
  UInt32(frame.pointee.hd.type) == type.rawValue
}

private func has(_ frame: Frame, _ flag: nghttp2_flag) -> Bool {
  UInt32(frame.pointee.hd.flags) & flag.rawValue != 0
}

private func onBeginHeaders(_: OpaquePointer?, frame: Frame?, userData: UnsafeMutableRawPointer?) -> Int32 {
  guard let frame, let recorder = recorder(userData) else { return 0 }
  recorder.headersBegan(
    frame.pointee.hd.stream_id,
    isNewRequest: isKind(frame, NGHTTP2_HEADERS) && frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST)
  return 0
}

private func onHeader(
  _: OpaquePointer?, frame: Frame?, name: UnsafePointer<UInt8>?, nameCount: Int,
  value: UnsafePointer<UInt8>?, valueCount: Int, _: UInt8, userData: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame, let recorder = recorder(userData) else { return 0 }
  recorder.headerCame(
    frame.pointee.hd.stream_id,
    name: UnsafeBufferPointer(start: name, count: name == nil ? 0 : nameCount),
    value: UnsafeBufferPointer(start: value, count: value == nil ? 0 : valueCount))
  return 0
}

private func onInvalidHeader(
  _: OpaquePointer?, frame: Frame?, name: UnsafePointer<UInt8>?, nameCount: Int,
  value: UnsafePointer<UInt8>?, valueCount: Int, _: UInt8, userData: UnsafeMutableRawPointer?
) -> Int32 {
  if let frame { recorder(userData)?.invalidHeaderCame(frame.pointee.hd.stream_id) }
  return 0
}

private func onDataChunk(
  _: OpaquePointer?, _: UInt8, stream: Int32, data: UnsafePointer<UInt8>?, count: Int,
  userData: UnsafeMutableRawPointer?
) -> Int32 {
  recorder(userData)?.dataCame(stream, UnsafeBufferPointer(start: data, count: data == nil ? 0 : count))
  return 0
}

private func onFrameReceived(_: OpaquePointer?, frame: Frame?, userData: UnsafeMutableRawPointer?) -> Int32 {
  guard let frame, let recorder = recorder(userData) else { return 0 }
  let stream = frame.pointee.hd.stream_id
  let endsStream = has(frame, NGHTTP2_FLAG_END_STREAM)
  switch nghttp2_frame_type(UInt32(frame.pointee.hd.type)) {
  case NGHTTP2_HEADERS:
    recorder.headersEnded(stream, endsStream: endsStream)
  case NGHTTP2_DATA:
    if endsStream {
      recorder.inboundEnded(stream)
    } else if frame.pointee.hd.length == 0 {
      recorder.nuisances += 1
    }
  case NGHTTP2_SETTINGS:
    guard !has(frame, NGHTTP2_FLAG_ACK) else { break }
    recorder.nuisances += 1
    recorder.record(.settings)
  case NGHTTP2_PING:
    if has(frame, NGHTTP2_FLAG_ACK) {
      let payload = withUnsafeBytes(of: frame.pointee.ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) }
      recorder.record(.pingAcknowledged(UInt64(bigEndian: payload)))
    } else {
      recorder.nuisances += 1
    }
  case NGHTTP2_GOAWAY:
    let goAway = frame.pointee.goaway
    let debugData = UnsafeBufferPointer(
      start: goAway.opaque_data, count: goAway.opaque_data == nil ? 0 : goAway.opaque_data_len)
    recorder.record(
      .goAway(
        lastStream: goAway.last_stream_id, code: HTTP2ErrorCode(rawValue: goAway.error_code),
        debugData: Array(debugData)))
  case NGHTTP2_RST_STREAM, NGHTTP2_PRIORITY:
    recorder.nuisances += 1
  default:
    break
  }
  return 0
}

private func onInvalidFrame(
  _: OpaquePointer?, frame: Frame?, _: Int32, userData: UnsafeMutableRawPointer?
) -> Int32 {
  recorder(userData)?.nuisances += 1
  return 0
}

private func onFrameSent(_: OpaquePointer?, frame: Frame?, userData: UnsafeMutableRawPointer?) -> Int32 {
  guard let frame, let recorder = recorder(userData) else { return 0 }
  switch nghttp2_frame_type(UInt32(frame.pointee.hd.type)) {
  case NGHTTP2_HEADERS, NGHTTP2_DATA:
    recorder.frameSent(
      frame.pointee.hd.stream_id, isHeaders: isKind(frame, NGHTTP2_HEADERS),
      endsStream: has(frame, NGHTTP2_FLAG_END_STREAM))
  case NGHTTP2_GOAWAY:
    let goAway = frame.pointee.goaway
    guard goAway.error_code != 0 else { break }
    let reason = UnsafeBufferPointer(
      start: goAway.opaque_data, count: goAway.opaque_data == nil ? 0 : goAway.opaque_data_len)
    let code = HTTP2ErrorCode(rawValue: goAway.error_code)
    recorder.connectionFailure =
      reason.isEmpty ? "\(code)" : "\(code): \(String(decoding: reason, as: UTF8.self))"
  default:
    break
  }
  return 0
}

private func onFrameNotSent(
  _: OpaquePointer?, frame: Frame?, _: Int32, userData: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame, isKind(frame, NGHTTP2_HEADERS) else { return 0 }
  recorder(userData)?.headersNotSent(frame.pointee.hd.stream_id)
  return 0
}

private func onStreamClose(
  _: OpaquePointer?, stream: Int32, code: UInt32, userData: UnsafeMutableRawPointer?
) -> Int32 {
  recorder(userData)?.streamClosed(stream, code: HTTP2ErrorCode(rawValue: code))
  return 0
}

/// Feeds a stream's stored body to the library.
func http2ReadBody(
  _: OpaquePointer?, stream: Int32, buffer: UnsafeMutablePointer<UInt8>?, capacity: Int,
  flags: UnsafeMutablePointer<UInt32>?, _: UnsafeMutablePointer<nghttp2_data_source>?,
  userData: UnsafeMutableRawPointer?
) -> Int {
  let target = UnsafeMutableRawBufferPointer(start: buffer, count: buffer == nil ? 0 : capacity)
  switch recorder(userData)?.readBody(stream, into: target) {
  case .bytes(let count, let isEnd):
    if isEnd { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
  case .later: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
  case .unknownStream, nil: return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
  }
}

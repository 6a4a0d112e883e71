/// A request or a response as it comes in on a stream.
struct HTTP2InboundMessage {
  /// `:status`; 0 until it came.
  var status = 0
  var method = ""
  var path = ""
  var authority: String?
  var fields = HTTPFields()
  var body: [UInt8] = []

  /// Forgets an interim response: the final one follows on the same stream (RFC 9110, section 15.2).
  mutating func discardInterimResponse() {
    status = 0
    fields.removeAll(keepingCapacity: true)
  }
}

/// What a session remembers of one open stream. A class: it is looked up for each field and frame, and
/// must not be copied each time.
final class HTTP2Stream {
  /// What of a message was over its limit.
  enum Overflow {
    case path
    case headers
    case body
  }

  var inbound = HTTP2InboundMessage()
  /// The field section's size as RFC 9113, section 6.5.2, counts it, over all blocks of the stream.
  var headerListBytes = 0
  var fieldCount = 0
  /// Bytes of `inbound` as the session counts them (`HTTP2SessionRecorder.Limits.unfinishedBytes`).
  var heldBytes = 0
  /// True from the second header block on: trailers, which are read and dropped.
  var isReadingTrailers = false
  /// The peer has ended its side.
  var isInboundComplete = false
  /// What more comes in is dropped: the message is over a limit or malformed.
  var discardsInbound = false

  var outboundBody: [UInt8]
  var outboundOffset = 0
  /// More will be added to `outboundBody`.
  var outboundIsOpen = false
  /// The library waits for more of the body.
  var outboundIsDeferred = false
  /// Our HEADERS frame was handed to the output.
  var headersSent = false
  /// We have ended our side.
  var isOutboundComplete = false

  /// Why we end the stream ourselves, where the code on the wire does not tell.
  var failure: HTTP2StreamFailure?

  init(outboundBody: [UInt8] = []) {
    self.outboundBody = outboundBody
  }
}

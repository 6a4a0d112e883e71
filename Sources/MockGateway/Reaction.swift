import EventLoop
import HTTP

extension MockGateway {
  /// What is done about a request instead of serving it.
  public struct Reaction: Sendable {
    enum Step: Sendable {
      case serve
      case answer(HTTPResponse)
      case silence
      case reset(HTTP2ErrorCode)
      case goAway(HTTP2ErrorCode, debugData: [UInt8])
      case disconnect
      case halfClose
      case garbage
    }

    let step: Step
    private(set) var accepts: Bool
    private(set) var delay: Duration?

    private init(_ step: Step) {
      self.step = step
      accepts = false
    }

    /// As the real gateway would.
    public static let serve = Reaction(.serve)
    /// No answer, ever.
    public static let neverAnswer = Reaction(.silence)
    /// The TCP connection is reset.
    public static let disconnect = Reaction(.disconnect)

    /// The sending side of the connection is closed, in order, without an answer.
    public static let halfClose = Reaction(.halfClose)
    /// Bytes that are no HTTP/2 frame.
    public static let garbage = Reaction(.garbage)

    /// A fixed answer. Requests that verification refuses get the refusal all the same.
    public static func answer(_ response: HTTPResponse) -> Reaction { Reaction(.answer(response)) }

    /// RST_STREAM.
    public static func reset(_ code: HTTP2ErrorCode) -> Reaction { Reaction(.reset(code)) }

    /// GOAWAY whose last stream is the one before this request's: this one and all newer ones are
    /// unprocessed. After `afterAccepting`, this request is answered and is the last one.
    ///
    /// - Parameter reason: Apple sends `{"reason":...}` as debug data.
    public static func goAway(_ code: HTTP2ErrorCode = .noError, reason: String? = nil) -> Reaction {
      Reaction(.goAway(code, debugData: reason.map { Array("{\"reason\":\"\($0)\"}".utf8) } ?? []))
    }

    /// A refusal of APNs.
    ///
    /// - Parameters:
    ///   - timestamp: milliseconds since the epoch; goes with 410.
    ///   - retryAfter: seconds.
    public static func apns(
      _ reason: APNsReason, timestamp: UInt64? = nil, retryAfter: Int? = nil
    ) -> Reaction {
      var response = reason.response(timestamp: timestamp)
      if let retryAfter { response.fields.add("retry-after", String(retryAfter)) }
      return .answer(response)
    }

    /// A refusal of FCM. `retryAfter` is in seconds.
    public static func fcm(_ code: FCMErrorCode, retryAfter: Int? = nil) -> Reaction {
      var response = GoogleError(code).response
      if let retryAfter { response.fields.add("retry-after", String(retryAfter)) }
      return .answer(response)
    }

    /// A refusal of the token endpoint (RFC 6749 section 5.2).
    public static func oauth(_ error: String) -> Reaction {
      .answer(.json(400, Array("{\"error\":\"\(error)\",\"error_description\":\"\(error)\"}".utf8)))
    }

    /// A page of a proxy in between.
    public static func html(_ status: Int = 502) -> Reaction {
      .answer(
        HTTPResponse(
          status: status, fields: [HTTPField("content-type", "text/html; charset=UTF-8")],
          body: Array("<!DOCTYPE html><html><title>Error \(status)</title><p>That’s an error.</html>".utf8)))
    }

    /// The same, so much later. The request counts as accepted or not when it comes.
    public func after(_ delay: Duration) -> Reaction {
      var later = self
      later.delay = delay
      return later
    }

    /// The same, but the notification is accepted and recorded first: the device gets it, and the sender
    /// does not know.
    public var afterAccepting: Reaction {
      var accepting = self
      accepting.accepts = true
      return accepting
    }

    /// Whether the notification counts as accepted when verification found no fault.
    var isAccepting: Bool {
      if case .serve = step { return true }
      return accepts
    }
  }
}

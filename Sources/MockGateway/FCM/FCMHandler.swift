import HTTP
import JSON

/// Answers as FCM's HTTP v1 API does.
final class FCMHandler: RequestHandler {
  /// Bytes of all keys and values (Firebase, "About FCM messages").
  static let maximumPayload = 4096
  static let maximumTokenLength = 4096
  private static let pathPrefix = "/v1/projects/"
  private static let pathSuffix = "/messages:send"

  private let projectID: String
  private let tokens: AccessTokens
  private let clock: @Sendable () -> UInt64
  private var messages: UInt64 = 0

  init(projectID: String, tokens: AccessTokens, clock: @escaping @Sendable () -> UInt64) {
    self.projectID = projectID
    self.tokens = tokens
    self.clock = clock
  }

  func evaluate(_ request: HTTPRequest) -> Verdict {
    // Read before anything is checked: a script may be for the device.
    let body = try? JSON.parse(request.body)
    let token = body?["message"]?["token"]?.stringValue
    do throws(GoogleError) {
      try checkCaller(request)
      guard let body else { throw Self.notJSON }
      try check(body)
    } catch {
      var response = error.response
      if error.code == 401 {
        response.fields.add("www-authenticate", "Bearer realm=\"https://accounts.google.com/\"")
      }
      return Verdict(response: response, refusal: error.status, deviceToken: token)
    }
    // Firebase, "Method: projects.messages.send": validated, not delivered.
    if body?["validate_only"]?.boolValue == true {
      return Verdict(response: accepted(), deviceToken: token)
    }
    return Verdict(response: accepted(), deviceToken: token, payload: body)
  }

  func overflow(status: Int) -> Verdict {
    let error = GoogleError(code: status, status: "INVALID_ARGUMENT", message: "Request is too large.")
    return Verdict(response: error.response, refusal: error.status)
  }

  private func accepted() -> HTTPResponse {
    messages += 1
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("name", "projects/\(projectID)/messages/0:\(clock())%\(messages)")
    writer.endObject()
    return .json(200, writer.bytes)
  }

  // MARK: Checks

  private static let notJSON = GoogleError(
    violations: [.init(field: "", description: "Invalid JSON payload received. Parsing terminated.")])

  private func checkCaller(_ request: HTTPRequest) throws(GoogleError) {
    guard request.method == "POST", request.path.hasPrefix(Self.pathPrefix),
      request.path.hasSuffix(Self.pathSuffix)
    else {
      throw GoogleError(code: 404, status: "NOT_FOUND", message: "Method not found.")
    }
    guard let authorization = request.fields.first("authorization") else {
      throw Self.unauthenticated("Request is missing required authentication credential.")
    }
    guard authorization.prefix(7).lowercased() == "bearer ",
      tokens.isValid(String(authorization.dropFirst(7)), now: clock())
    else { throw Self.unauthenticated("Request had invalid authentication credentials.") }
    let project = request.path.dropFirst(Self.pathPrefix.count).dropLast(Self.pathSuffix.count)
    guard project == projectID else {
      throw GoogleError(code: 404, status: "NOT_FOUND", message: "Requested entity was not found.")
    }
  }

  private static func unauthenticated(_ text: String) -> GoogleError {
    GoogleError(
      code: 401, status: "UNAUTHENTICATED",
      message: text + " Expected OAuth 2 access token, login cookie or other valid authentication credential."
    )
  }

  private func check(_ body: JSONValue) throws(GoogleError) {
    let violations = FCMSchema.sendRequest.violations(in: body, at: "")
    guard violations.isEmpty else { throw GoogleError(violations: violations) }
    guard let message = body["message"] else {
      throw Self.invalid(field: "message", "The message is not set.")
    }
    // Topics and conditions are valid at Google but have no device to be delivered to.
    guard let token = message["token"]?.stringValue, !token.isEmpty else {
      throw Self.invalid(field: "message", "Recipient of the message is not set.")
    }
    guard token.utf8.count <= Self.maximumTokenLength, token.utf8.allSatisfy(Self.isTokenByte) else {
      throw GoogleError(.invalidArgument)
    }
    let data = message["data"]?.objectValue?.members ?? []
    for entry in data where Self.isReserved(entry.key) {
      throw Self.invalid(field: "message.data", "Invalid data payload key: \(entry.key)")
    }
    guard Self.byteCount(data, message["notification"]) <= Self.maximumPayload else {
      // Seen without details.
      throw GoogleError(code: 400, status: "INVALID_ARGUMENT", message: "Android message is too big")
    }
  }

  private static func invalid(field: String, _ text: String) -> GoogleError {
    GoogleError(violations: [.init(field: field, description: text)], fcmCode: .invalidArgument)
  }

  /// Firebase, "Set up your data payload": `from`, `gcm`, and all that begin with `google`.
  private static func isReserved(_ key: String) -> Bool {
    key == "from" || key == "gcm" || key.hasPrefix("gcm.") || key.hasPrefix("google")
  }

  private static func byteCount(_ data: [JSONObject.Member], _ notification: JSONValue?) -> Int {
    let alert = notification?.objectValue?.members ?? []
    return (data + alert).reduce(0) { $0 + $1.key.utf8.count + ($1.value.stringValue?.utf8.count ?? 0) }
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}

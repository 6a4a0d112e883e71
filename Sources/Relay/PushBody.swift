import JSON

/// The body of the relay's POST: one JSON object with a raw family, a legacy family, or both
/// (WalletConnect specifications, push server). A family with a missing or ill-typed field is absent,
/// which matters only to a client that needs it. Unknown members are ignored.
public struct PushBody: Equatable, Sendable {
  /// The raw family, or what is wrong with it.
  public let raw: Result<RawPush, PushBodyError>
  /// The legacy family, or what is wrong with it.
  public let legacy: Result<LegacyPush, PushBodyError>

  /// Reads `bytes`; throws only when they are no JSON object.
  public init(_ bytes: Span<UInt8>) throws(PushBodyError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSON.parse(bytes)
    } catch {
      throw .malformed(error)
    }
    guard case .object(let object) = value else { throw .notAnObject }
    raw = Self.readRaw(object)
    legacy = Self.readLegacy(object)
  }

  /// Reads `bytes`; throws only when they are no JSON object.
  public init(_ bytes: [UInt8]) throws(PushBodyError) { try self.init(bytes.span) }

  /// What to deliver to a client: the raw family when it registered with `always_raw`, else the legacy
  /// one. There is no falling back from one to the other.
  public func message(alwaysRaw: Bool) throws(PushBodyError) -> PushMessage {
    alwaysRaw ? .raw(try raw.get()) : try .legacy(legacy.get())
  }

  private static func readRaw(_ object: JSONObject) -> Result<RawPush, PushBodyError> {
    var reader = FieldReader()
    let topic = reader.string(object["topic"], "topic")
    let tag = reader.uint32(object["tag"], "tag")
    let message = reader.string(object["message"], "message")
    guard let topic, let tag, let message else { return .failure(.fields(reader.problems)) }
    return .success(RawPush(topic: topic, tag: tag, message: message))
  }

  private static func readLegacy(_ object: JSONObject) -> Result<LegacyPush, PushBodyError> {
    var reader = FieldReader()
    var id = reader.string(object["id"], "id")
    if id?.isEmpty == true {
      reader.refuse("id", "is empty and cannot tell this message from another")
      id = nil
    }
    guard let payload = reader.object(object["payload"], "payload") else {
      return .failure(.fields(reader.problems))
    }
    let topic = reader.string(payload["topic"], "payload.topic")
    let flags = reader.uint32(payload["flags"], "payload.flags")
    let blob = reader.string(payload["blob"], "payload.blob")
    guard let id, let topic, let flags, let blob else { return .failure(.fields(reader.problems)) }
    return .success(LegacyPush(id: MessageID(ofLegacyID: id), topic: topic, flags: flags, blob: blob))
  }
}

/// Reads typed members and notes each that is missing or of another type.
private struct FieldReader {
  private(set) var problems: [RequestField] = []

  mutating func string(_ value: JSONValue?, _ name: String) -> String? {
    if let text = value?.stringValue { return text }
    refuse(name, value == nil ? "is missing from the request" : "must be a string")
    return nil
  }

  mutating func uint32(_ value: JSONValue?, _ name: String) -> UInt32? {
    if let number = value?.uint32Value { return number }
    refuse(
      name,
      value == nil
        ? "is missing from the request"
        : "must be an integer from 0 to \(UInt32.max), without fraction or exponent")
    return nil
  }

  mutating func object(_ value: JSONValue?, _ name: String) -> JSONObject? {
    if let object = value?.objectValue { return object }
    refuse(name, value == nil ? "is missing from the request" : "must be an object")
    return nil
  }

  mutating func refuse(_ name: String, _ text: String) {
    problems.append(RequestField(name, text, .body))
  }
}

import JSON

/// Why a push body cannot be delivered.
public enum PushBodyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The body is not JSON.
  case malformed(JSONError)
  /// The body is JSON but not an object.
  case notAnObject
  /// The family of fields that the client needs is incomplete; names each field at fault.
  case fields([RequestField])
  /// A legacy push in clear text whose blob does not decode; says why.
  case undecodableBlob(String)

  /// Name of the error in an answer.
  public var name: String {
    switch self {
    case .malformed, .notAnObject: "decode"
    case .fields: "field"
    case .undecodableBlob: "json"
    }
  }

  public var description: String {
    switch self {
    case .malformed(let error): "the body is \(error)"
    case .notAnObject: "the body is not a JSON object"
    case .fields(let fields): fields.map { "\($0.field): \($0.description)" }.joined(separator: "; ")
    case .undecodableBlob(let reason): "payload.blob \(reason)"
    }
  }

  /// The fields at fault; none when the body as a whole is.
  public var fields: [RequestField] {
    switch self {
    case .malformed, .notAnObject: []
    case .fields(let fields): fields
    case .undecodableBlob(let reason): [RequestField("payload.blob", reason, .body)]
    }
  }
}

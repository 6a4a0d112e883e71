import HTTP
import JSON
import Relay

/// The answer of every API route, in the shape of the Rust push server:
/// `{"status":"SUCCESS"|"FAILURE","errors":[{name,message}]|null,"fields":[{field,description,location}]|null}`.
enum APIResponse {
  /// SDKs look at `status` besides the code.
  static let success = Array(#"{"status":"SUCCESS","errors":null,"fields":null}"#.utf8)

  static func success(_ status: Int = 200) -> HTTPResponse {
    .json(status, success)
  }

  /// Too many requests from one address (RFC 6585, section 4).
  static func rateLimited(_ seconds: Int, _ message: String) -> HTTPResponse {
    failure(429, name: "rate_limited", message: "\(message): try again later", retryAfter: seconds)
  }

  /// A refusal for several reasons.
  static func failures(_ status: Int, name: String, messages: [String]) -> HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("status", "FAILURE")
    writer.key("errors")
    writer.beginArray()
    for message in messages {
      writer.beginObject()
      writer.member("name", name)
      writer.member("message", message)
      writer.endObject()
    }
    writer.endArray()
    writer.key("fields")
    writer.null()
    writer.endObject()
    return .json(status, writer.bytes)
  }

  /// A refusal or failure with one error; `fields` say which parts of the request are at fault.
  static func failure(
    _ status: Int, name: String, message: String, fields: [RequestField] = [], retryAfter: Int? = nil
  ) -> HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("status", "FAILURE")
    writer.key("errors")
    writer.beginArray()
    writer.beginObject()
    writer.member("name", name)
    writer.member("message", message)
    writer.endObject()
    writer.endArray()
    writer.key("fields")
    if fields.isEmpty {
      writer.null()
    } else {
      writer.beginArray()
      for field in fields {
        writer.beginObject()
        writer.member("field", field.field)
        writer.member("description", field.description)
        writer.member("location", field.location.rawValue)
        writer.endObject()
      }
      writer.endArray()
    }
    writer.endObject()
    var response = HTTPResponse.json(status, writer.bytes)
    if let retryAfter { response.fields.add("retry-after", String(max(1, retryAfter))) }
    return response
  }
}

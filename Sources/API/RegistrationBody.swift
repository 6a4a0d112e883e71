import JSON
import Relay
import Service
import Store

/// Why a registration body cannot be used, with the status it is answered with.
package enum RegistrationBodyError: Error, Equatable {
  /// Not JSON, or not an object.
  case malformed(String)
  /// A member is missing or has the wrong type.
  case illTyped([RequestField])
  /// The client ID cannot be one.
  case clientID(String)
  /// The type is none that we know.
  case unknownType(String)
  /// The token is empty or has characters that no token has.
  case token(String)
}

extension RegistrationBodyError {
  /// As the metrics count it.
  var refusal: RegistrationRefusal {
    switch self {
    case .malformed, .illTyped: .body
    case .clientID: .clientID
    case .unknownType: .type
    case .token: .token
    }
  }
}

/// The body of `POST /clients`. Unknown members are ignored, as the SDKs' bodies grow.
package struct RegistrationBody {
  package let client: ClientID
  package let kind: TokenKind
  package let token: String
  package let alwaysRaw: Bool

  package init(_ bytes: [UInt8]) throws(RegistrationBodyError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSON.parse(bytes)
    } catch {
      throw .malformed("the body is \(error)")
    }
    guard case .object(let object) = value else { throw .malformed("the body is not a JSON object") }
    var problems: [RequestField] = []
    func text(_ name: String) -> String {
      guard let value = object[name] else {
        problems.append(RequestField(name, "is missing from the request", .body))
        return ""
      }
      guard let text = value.stringValue else {
        problems.append(RequestField(name, "must be a string", .body))
        return ""
      }
      return text
    }
    let clientID = text("client_id")
    let type = text("type")
    let token = text("token")
    var alwaysRaw = false
    if let flag = object["always_raw"], !flag.isNull {
      if let flag = flag.boolValue {
        alwaysRaw = flag
      } else {
        problems.append(RequestField("always_raw", "must be true, false or null", .body))
      }
    }
    guard problems.isEmpty else { throw .illTyped(problems) }

    do throws(ClientIDError) {
      client = try ClientID(clientID)
    } catch {
      throw .clientID(error.description)
    }
    guard let kind = TokenKind(name: type.lowercased()) else { throw .unknownType(String(type.prefix(64))) }
    self.kind = kind
    if let problem = Registration.problem(ofToken: token) { throw .token(problem) }
    self.token = token
    self.alwaysRaw = alwaysRaw
  }
}

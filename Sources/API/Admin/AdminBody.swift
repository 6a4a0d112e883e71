import JSON
import Store
import Telemetry

/// Why a body of the admin API cannot be used; answered with 400.
package enum AdminBodyError: Error, Equatable {
  /// Not JSON, or not an object.
  case malformed(String)
  /// A member is missing, has the wrong type or is out of bounds.
  case member(String)

  /// The error's name in the answer.
  package var name: String {
    switch self {
    case .malformed: "body"
    case .member: "field"
    }
  }

  /// What is wrong.
  package var text: String {
    switch self {
    case .malformed(let text), .member(let text): text
    }
  }
}

/// The JSON body of a request to the admin API; each route takes out what it needs.
package struct AdminBody {
  /// Bytes of a password that are hashed at most.
  package static let maximumPasswordBytes = 1024
  private static let maximumUndoBytes = 64

  private let object: JSONObject

  /// The body of a route that takes none.
  init() {
    object = JSONObject()
  }

  package init(_ bytes: [UInt8]) throws(AdminBodyError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSON.parse(bytes)
    } catch {
      throw .malformed("the body is \(error)")
    }
    guard case .object(let object) = value else { throw .malformed("the body is not a JSON object") }
    self.object = object
  }

  /// The password of a login.
  package func password() throws(AdminBodyError) -> String {
    guard let password = object["password"]?.stringValue, password.utf8.count <= Self.maximumPasswordBytes
    else {
      throw .member("password must be a string of at most \(Self.maximumPasswordBytes) bytes")
    }
    return password
  }

  /// The ID of the deletion that is to be undone.
  package func undo() throws(AdminBodyError) -> String {
    guard let id = object["undo"]?.stringValue, (1...Self.maximumUndoBytes).contains(id.utf8.count) else {
      throw .member("undo must be the ID that the deletion gave")
    }
    return id
  }

  /// What a search asks for.
  package func search() throws(AdminBodyError) -> RegistrationSearch {
    var search = RegistrationSearch()
    if let query = try text("query", limit: RegistrationSearch.maximumQueryBytes) {
      search.query = String(query.drop(while: Self.isBlank))
      while let last = search.query.last, Self.isBlank(last) { search.query.removeLast() }
    }
    if let name = try text("type", limit: 64) {
      guard let kind = TokenKind(name: name) else {
        throw .member("type must be apns, apns-sandbox or fcm")
      }
      search.filter.kind = kind
    }
    switch try text("state", limit: 64) {
    case nil: break
    case "active": search.filter.state = .active
    case "tombstoned": search.filter.state = .tombstoned
    default: throw .member("state must be active or tombstoned")
    }
    if let value = object["never_pushed"], !value.isNull {
      guard let flag = value.boolValue else { throw .member("never_pushed must be true or false") }
      search.filter.neverPushed = flag
    }
    search.cursor = try text("cursor", limit: ClientKey.maximumClientBytes)
    if let value = object["limit"], !value.isNull {
      let limits = 1...UInt64(RegistrationSearch.maximumPage)
      guard let number = value.uint64Value, limits.contains(number) else {
        throw .member("limit must be a number from 1 to \(RegistrationSearch.maximumPage)")
      }
      search.limit = Int(number)
    }
    return search
  }

  private func text(_ name: String, limit: Int) throws(AdminBodyError) -> String? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let text = value.stringValue, text.utf8.count <= limit else {
      throw .member("\(name) must be a string of at most \(limit) bytes")
    }
    return text
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\n" || character == "\t"
  }
}

/// What a search among the registrations asks for.
package struct RegistrationSearch: Sendable {
  static let maximumQueryBytes = 4096
  package static let maximumPage = 200

  /// The beginning of a client ID, a whole device token, or a client's pseudonym; without blanks around it.
  package fileprivate(set) var query = ""
  package fileprivate(set) var filter = RegistrationFilter()
  /// Where the page before ended.
  package fileprivate(set) var cursor: String?
  package fileprivate(set) var limit = 50

  /// The query as a client's name in the log; nil when it is none.
  var pseudonym: Pseudonym? { Pseudonym(query) }
}

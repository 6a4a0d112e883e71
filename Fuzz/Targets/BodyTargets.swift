import API
import JSON
import Relay
import Store

extension FuzzTarget {
  /// The body of `POST /clients`. What is accepted keeps to every limit, and is the same registration when it
  /// is written and read again.
  static let registrationBody = FuzzTarget("RegistrationBody") { input in
    do throws(RegistrationBodyError) {
      let body = try RegistrationBody(input)
      let token = body.token.utf8
      promise((1...Registration.maximumTokenBytes).contains(token.count), "a token of \(token.count) bytes")
      promise(token.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "a control character in a token")
      let client = body.client.text
      promise((1...ClientID.maximumByteCount).contains(client.utf8.count), "a client ID out of bounds")
      promise(!client.hasPrefix(DIDKey.prefix), "a client with two names")
      promise((try? ClientKey(client: client)) != nil, "a client ID that the store refuses")
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("client_id", client)
      writer.member("type", body.kind.name)
      writer.member("token", body.token)
      writer.member("always_raw", body.alwaysRaw)
      writer.endObject()
      let again = try RegistrationBody(writer.bytes)
      promise(
        again.client == body.client && again.kind == body.kind && again.alwaysRaw == body.alwaysRaw
          && again.token.utf8.elementsEqual(token), "written and read again it is another registration")
    } catch {
      if case .illTyped(let fields) = error { promise(!fields.isEmpty, "a refusal without a field") }
    }
  }

  /// The bodies of the admin API: a login comes from anybody.
  static let adminBody = FuzzTarget("AdminBody") { input in
    do throws(AdminBodyError) {
      let body = try AdminBody(input)
      holdsLimits(body)
    } catch {
      promise(!error.text.isEmpty, "an error without words")
    }
  }

  private static func holdsLimits(_ body: AdminBody) {
    if let password = try? body.password() {
      promise(password.utf8.count <= AdminBody.maximumPasswordBytes, "a password over its limit")
    }
    if let undo = try? body.undo() {
      promise((1...64).contains(undo.utf8.count), "an ID of \(undo.utf8.count) bytes")
    }
    do throws(AdminBodyError) {
      let search = try body.search()
      promise((1...RegistrationSearch.maximumPage).contains(search.limit), "a page of \(search.limit)")
      promise(search.query.utf8.count <= 4096, "a query over its limit")
      promise(search.query.first != " " && search.query.last != " ", "blanks around the query")
      promise((search.cursor?.utf8.count ?? 0) <= ClientKey.maximumClientBytes, "a cursor over its limit")
    } catch {
      promise(error.name == "field" && !error.text.isEmpty, "a refusal without words")
    }
  }
}

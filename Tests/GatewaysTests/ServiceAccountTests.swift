import Crypto
import Gateways
import JSON
import Testing

/// A service account file with a key made for this run.
enum SampleAccount {
  static let key = try? RSAPrivateKey.generate()

  static let fields: [(String, JSONValue)] = [
    ("type", .string("service_account")),
    ("project_id", .string("wallet-1234")),
    ("private_key_id", .string("0123abcd")),
    ("private_key", .string((try? key?.pem()) ?? "")),
    ("client_email", .string("push@wallet-1234.iam.gserviceaccount.com")),
    ("client_id", .string("1")),
    ("token_uri", .string("https://oauth2.googleapis.com/token")),
  ]

  /// The file, with the field `name` replaced, or left out when `value` is nil.
  static func json(_ name: String = "", _ value: JSONValue? = nil) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for field in fields where field.0 != name { writer.member(field.0, field.1) }
    if let value { writer.member(name, value) }
    writer.endObject()
    return writer.bytes
  }
}

/// The error that reading `json` gives.
private func error(_ json: [UInt8]) -> ServiceAccountError? {
  do throws(ServiceAccountError) {
    _ = try ServiceAccount(json: json)
    return nil
  } catch {
    return error
  }
}

@Suite struct ServiceAccountTests {
  @Test func readsTheFile() throws {
    let account = try ServiceAccount(json: SampleAccount.json())
    #expect(account.projectID == "wallet-1234")
    #expect(account.clientEmail == "push@wallet-1234.iam.gserviceaccount.com")
    #expect(account.privateKeyID == "0123abcd")
    #expect(account.tokenEndpoint.endpoint.host == "oauth2.googleapis.com")
    #expect(account.tokenEndpoint.endpoint.port == 443)
    #expect(account.tokenEndpoint.path == "/token")
    #expect(account.tokenEndpoint.endpoint.authority == "oauth2.googleapis.com")
    #expect(
      "\(account)" == "service account push@wallet-1234.iam.gserviceaccount.com of project wallet-1234")
    #expect(try ServiceAccount(json: SampleAccount.json("private_key_id")).privateKeyID == nil)
  }

  @Test(arguments: ["project_id", "private_key", "client_email", "token_uri"])
  func aMissingFieldIsNamed(name: String) {
    for value in [nil, JSONValue.null, .string("")] {
      #expect(error(SampleAccount.json(name, value)) == .missingField(name))
    }
    #expect(error(SampleAccount.json(name, .bool(true))) == .invalidField(name, expected: "a text"))
    #expect("\(ServiceAccountError.missingField(name))".contains("\"\(name)\" is missing"))
  }

  @Test(arguments: [
    ("project_id", "a/b"), ("project_id", "a b"), ("project_id", String(repeating: "a", count: 129)),
    ("client_email", "nobody"), ("client_email", "a@b\r\nx"),
    ("token_uri", "http://oauth2.googleapis.com/token"),
    ("token_uri", "https:///token"), ("token_uri", "https://a@b/token"), ("token_uri", "https://a:0/"),
    ("token_uri", "https://a:b/"), ("token_uri", "https://a/b?c"), ("token_uri", "https://a/b c"),
    ("token_uri", "https://[::1/"),
  ])
  func anInvalidFieldIsNamed(name: String, value: String) {
    guard case .invalidField(let found, _) = error(SampleAccount.json(name, .string(value))) else {
      Issue.record("\(name) \(value) was not found invalid")
      return
    }
    #expect(found == name)
  }

  @Test func otherTokenEndpoints() throws {
    let account = try ServiceAccount(json: SampleAccount.json("token_uri", .string("https://localhost:8443")))
    #expect(account.tokenEndpoint.endpoint.host == "localhost")
    #expect(account.tokenEndpoint.endpoint.port == 8443)
    #expect(account.tokenEndpoint.path == "/")
    #expect(account.tokenEndpoint.endpoint.authority == "localhost:8443")
  }

  @Test func otherFilesAreRefused() throws {
    #expect(error(Array("[]".utf8)) == .notAnObject)
    #expect(error(SampleAccount.json("type", .string("authorized_user"))) == .wrongType)
    #expect(error([UInt8](repeating: 0x20, count: 65_537)) == .tooLarge(limit: 65_536))
    guard case .notJSON = error(Array("-----BEGIN".utf8)) else {
      Issue.record("a text that is no JSON must be called so")
      return
    }
    let ecKey = JSONValue.string(try P256PrivateKey.generate().pem())
    for key in [ecKey, .string("secret-text")] {
      let found = error(SampleAccount.json("private_key", key))
      guard case .invalidPrivateKey = found else {
        Issue.record("a key that is not RSA must be refused")
        return
      }
      #expect(!"\(String(describing: found))".contains("secret-text"))
    }
  }
}

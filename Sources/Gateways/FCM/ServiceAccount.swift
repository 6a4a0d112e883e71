import Crypto
import JSON

/// Why a service account file is of no use. Quotes none of its content.
public enum ServiceAccountError: Error, Equatable, Sendable, CustomStringConvertible {
  case tooLarge(limit: Int)
  case notJSON(JSONError)
  case notAnObject
  /// The key file of another kind of account.
  case wrongType
  case missingField(String)
  /// The field is there, but not as `expected`.
  case invalidField(String, expected: String)
  case invalidPrivateKey(CryptoError)

  public var description: String {
    "service account: " + explanation
      + ". Download a new key from the Firebase console, Project settings, Service accounts"
  }

  private var explanation: String {
    switch self {
    case .tooLarge(let limit): "larger than \(limit) bytes"
    case .notJSON(let error): "\(error)"
    case .notAnObject: "not a JSON object"
    case .wrongType: "\"type\" is not \"service_account\""
    case .missingField(let name): "\"\(name)\" is missing"
    case .invalidField(let name, let expected): "\"\(name)\" must be \(expected)"
    case .invalidPrivateKey(let error): "\"private_key\" can't be read: \(error)"
    }
  }
}

/// A Google service account with its key, from the JSON file that the Firebase console gives out.
public struct ServiceAccount: Sendable, CustomStringConvertible {
  /// Bytes of a file read at most.
  public static let maximumByteCount = 65_536

  public let projectID: String
  public let clientEmail: String
  public let privateKeyID: String?
  public let privateKey: RSAPrivateKey
  public let tokenEndpoint: TokenEndpoint

  /// Where access tokens are to be had: `token_uri`, taken apart.
  public struct TokenEndpoint: Equatable, Sendable {
    /// As the file has it; the assertion's audience.
    public var uri: String
    public var endpoint: GatewayEndpoint
    public var path: String
  }

  /// Reads the file's content.
  public init(json: [UInt8]) throws(ServiceAccountError) {
    guard json.count <= Self.maximumByteCount else { throw .tooLarge(limit: Self.maximumByteCount) }
    let value: JSONValue
    do {
      value = try JSON.parse(json)
    } catch {
      throw .notJSON(error)
    }
    guard let object = value.objectValue else { throw .notAnObject }
    if let type = object["type"], type.stringValue != "service_account" { throw .wrongType }
    projectID = try Self.string(
      "project_id", in: object, expected: "letters, digits, '-', '.', ':' and '_', at most 128"
    ) { text in
      text.count <= 128 && text.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: ":") }
    }
    clientEmail = try Self.string("client_email", in: object, expected: "an e-mail address") { text in
      text.count <= 320 && text.contains(UInt8(ascii: "@")) && text.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
    if let id = object["private_key_id"], !id.isNull {
      privateKeyID = try Self.string("private_key_id", in: object, expected: "a short text") {
        $0.count <= 256
      }
    } else {
      privateKeyID = nil
    }
    let uri = try Self.string("token_uri", in: object, expected: "a text") { $0.count <= 2048 }
    guard let endpoint = Self.endpoint(uri) else {
      throw .invalidField("token_uri", expected: "an https:// address")
    }
    tokenEndpoint = endpoint
    let pem = try Self.string("private_key", in: object, expected: "a text") { _ in true }
    do {
      privateKey = try RSAPrivateKey(pem: pem)
    } catch {
      throw .invalidPrivateKey(error)
    }
  }

  /// Names the account; holds no secret.
  public var description: String { "service account \(clientEmail) of project \(projectID)" }

  private static func string(
    _ name: String, in object: JSONObject, expected: String, isValid: ([UInt8]) -> Bool
  ) throws(ServiceAccountError) -> String {
    guard let value = object[name], !value.isNull else { throw .missingField(name) }
    guard let text = value.stringValue else { throw .invalidField(name, expected: "a text") }
    guard !text.isEmpty else { throw .missingField(name) }
    guard isValid(Array(text.utf8)) else { throw .invalidField(name, expected: expected) }
    return text
  }

  /// `https://host[:port][/path]`, nothing else: no user, no query.
  private static func endpoint(_ uri: String) -> TokenEndpoint? {
    guard
      uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    else { return nil }
    let scheme = "https://"
    let path = uri.dropFirst(scheme.count).drop { $0 != "/" }
    guard let endpoint = try? GatewayEndpoint(url: String(uri[..<path.startIndex])) else { return nil }
    return TokenEndpoint(uri: uri, endpoint: endpoint, path: path.isEmpty ? "/" : String(path))
  }
}

/// A letter, digit, `-`, `.` or `_`.
private func isWordByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
    true
  default: false
  }
}

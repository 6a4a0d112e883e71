import Bytes
import Crypto
import JSON

extension MockGateway {
  /// What a push server needs to be let in: an APNs key and a Google service account. Made up, worth
  /// nothing elsewhere.
  public struct Credentials: Sendable {
    public var apnsKey: P256PrivateKey
    /// Ten characters, as Apple's.
    public var apnsKeyID: String
    public var apnsTeamID: String
    /// The one topic (bundle ID) that may be pushed to.
    public var apnsTopic: String
    public var serviceAccountKey: RSAPrivateKey
    public var serviceAccountKeyID: String
    public var serviceAccountEmail: String
    public var projectID: String

    public init(
      apnsKey: P256PrivateKey, apnsKeyID: String, apnsTeamID: String, apnsTopic: String,
      serviceAccountKey: RSAPrivateKey, serviceAccountKeyID: String, serviceAccountEmail: String,
      projectID: String
    ) {
      self.apnsKey = apnsKey
      self.apnsKeyID = apnsKeyID
      self.apnsTeamID = apnsTeamID
      self.apnsTopic = apnsTopic
      self.serviceAccountKey = serviceAccountKey
      self.serviceAccountKeyID = serviceAccountKeyID
      self.serviceAccountEmail = serviceAccountEmail
      self.projectID = projectID
    }

    /// New keys under fixed names.
    public static func generate() throws(CryptoError) -> Credentials {
      Credentials(
        apnsKey: try P256PrivateKey.generate(), apnsKeyID: "MOCKKEY123", apnsTeamID: "MOCKTEAM12",
        apnsTopic: "com.example.wallet", serviceAccountKey: try RSAPrivateKey.generate(),
        serviceAccountKeyID: Hex.encode(try Random.bytes(20)),
        serviceAccountEmail: "pushbox@mock-project.iam.gserviceaccount.com", projectID: "mock-project")
    }

    /// The service account file, as the Firebase console gives it out, for a token endpoint.
    func serviceAccountJSON(tokenURI: String) throws(CryptoError) -> [UInt8] {
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("type", "service_account")
      writer.member("project_id", projectID)
      writer.member("private_key_id", serviceAccountKeyID)
      writer.member("private_key", try serviceAccountKey.pem())
      writer.member("client_email", serviceAccountEmail)
      writer.member("client_id", "100000000000000000001")
      writer.member("token_uri", tokenURI)
      writer.endObject()
      return writer.bytes
    }
  }
}

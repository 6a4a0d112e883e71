import Configuration
import Crypto
import JSON
import Relay
import TOML

extension FuzzTarget {
  /// JSON as registrations and pushes bring it. What is read, written and read again is the same.
  static let json = FuzzTarget("JSON") { input in
    guard let value = try? JSON.parse(input) else { return }
    var writer = JSONWriter()
    writer.value(value)
    promise((try? JSON.parse(writer.bytes)) == value, "written and read again it is another value")
  }

  /// The body of a push.
  static let pushBody = FuzzTarget("PushBody") { input in
    do throws(PushBodyError) {
      let body = try PushBody(input)
      for alwaysRaw in [true, false] {
        do throws(PushBodyError) {
          let message = try body.message(alwaysRaw: alwaysRaw)
          promise(!message.id.text.isEmpty, "a message without an ID")
        } catch {
          promise(!error.description.isEmpty, "an error without words")
        }
      }
    } catch {
      promise(!error.description.isEmpty, "an error without words")
    }
  }

  /// A configuration file, up to the point where it would open other files.
  static let toml = FuzzTarget("TOML") { input in
    let isTOML = (try? TOMLDocument.parse(input)) != nil
    do throws(ConfigurationError) {
      let file = ConfigurationFile(path: "config.toml", bytes: input)
      let (configuration, _) = try Configuration.load(file, environment: [:])
      promise(isTOML, "a configuration that is no TOML")
      promise(!configuration.shown.isEmpty, "an empty configuration")
    } catch {
      promise(!error.problems.isEmpty, "a refusal without a problem")
    }
  }

  /// A client's token. The first byte says whether the rest is a token, or claims to be signed, which gets
  /// past the signature.
  static let jwt = FuzzTarget("JWT") { input in
    guard let mode = input.first, let key = jwtKey else { return }
    let rest = Array(input.dropFirst())
    let id = Array(DIDKey.encode(key.publicKey.rawBytes).utf8.dropFirst(DIDKey.prefix.utf8.count))
    guard let client = try? ClientID(String(decoding: id, as: UTF8.self)) else { return }
    var token = String(decoding: rest, as: UTF8.self)
    if mode & 1 == 1 {
      let signed = JWT.signingInput(header: Array(#"{"alg":"EdDSA","typ":"JWT"}"#.utf8), claims: rest)
      guard let signature = try? key.sign(signed) else { return }
      token = JWT.join(signingInput: signed, signature: signature)
    }
    do throws(ClientAuthenticationError) {
      try ClientAuthentication(audiences: ["https://push.example.com"])
        .verify(authorization: token, client: client, now: 1_700_000_000)
      promise(mode & 1 == 1, "a token that nobody signed")
    } catch {
      promise(!error.description.isEmpty, "an error without words")
    }
  }

  private static let jwtKey = try? Ed25519PrivateKey(seed: [UInt8](repeating: 7, count: 32))

  /// A client ID as a key: one text a key, so that no client has two names.
  static let didKey = FuzzTarget("DIDKey") { input in
    let text = String(decoding: input, as: UTF8.self)
    if let key = try? DIDKey.publicKey(text) {
      promise(key.count == 32, "a key of \(key.count) bytes")
      promise(DIDKey.encode(key) == text, "two texts for one key")
    }
    if let client = try? ClientID(text) {
      promise((1...ClientID.maximumByteCount).contains(client.text.utf8.count), "a client ID out of bounds")
      promise((try? ClientID(client.text)) == client, "a client ID that changes when it is read again")
    }
  }
}

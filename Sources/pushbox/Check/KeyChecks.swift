import Configuration
import Crypto
import Gateways

/// Looks at keys and certificates, without any network.
enum KeyChecks {
  /// Days before its end from which a certificate is worth a warning.
  static let expiryWarning = 30

  static func run(_ configuration: Configuration, _ credentials: Credentials, _ report: inout CheckReport) {
    certificate(configuration, &report)
    relay(configuration, credentials, &report)
    if let apns = configuration.apns {
      apple(apns, credentials, &report)
    }
    if let fcm = configuration.fcm {
      google(fcm, credentials, &report)
    }
  }

  private static func relay(
    _ configuration: Configuration, _ credentials: Credentials, _ report: inout CheckReport
  ) {
    guard configuration.relay.validateSignatures else {
      return report.warn("relay", "signatures are NOT VERIFIED: for tests only")
    }
    if case .fetch(let url) = configuration.relay.publicKey {
      return report.ok(
        "relay.public_key",
        "is fetched from \(url.text) at the first start, then kept; signatures are verified")
    }
    do throws(CryptoError) {
      for key in credentials.relayPublicKeys { _ = try Ed25519PublicKey(rawBytes: key) }
      let count = credentials.relayPublicKeys.count
      report.ok(
        "relay.public_key",
        (count == 1 ? "is an Ed25519 key" : "are \(count) Ed25519 keys") + "; signatures are verified")
    } catch {
      report.fail("relay.public_key", "\(error)")
    }
  }

  private static func certificate(_ configuration: Configuration, _ report: inout CheckReport) {
    guard let tls = configuration.tls else { return }
    do throws(ServerError) {
      let host = configuration.server.publicURL.host
      let certificate = try ServerCertificate(tls, host: host)
      expiry(certificate.facts, "tls.certificate_file", &report)
      if !certificate.facts.isForHost {
        report.fail(
          "tls.certificate_file",
          "the certificate is not for \(host), the host of server.public_url: the relay and wallets will refuse it"
        )
      }
      report.ok("tls.key_file", "belongs to the certificate")
    } catch {
      report.fail("tls", "\(error)")
    }
  }

  private static func apple(
    _ apns: Configuration.APNs, _ credentials: Credentials, _ report: inout CheckReport
  ) {
    switch apns.authentication {
    case .token(let source, let keyID, let teamID):
      signingKey(source, keyID, teamID, apns.topic, credentials, &report)
    case .certificate:
      if let certificate = credentials.apnsCertificate {
        PushCertificateCheck.run(certificate, topic: apns.topic, &report)
      }
    }
    authorities(apns.caFile, "apns.ca_file", &report)
  }

  private static func signingKey(
    _ source: SecretSource, _ keyID: String, _ teamID: String, _ topic: String?, _ credentials: Credentials,
    _ report: inout CheckReport
  ) {
    if let key = credentials.apnsKey {
      do throws(CryptoError) {
        let message = Array("pushbox check".utf8)
        _ = try P256PrivateKey(pem: key.exposed).sign(message)
        report.ok(
          "apns.key", "loads and signs; key ID \(keyID), team ID \(teamID), topic \(topic ?? "missing")")
      } catch {
        report.fail("apns.key", "\(error); it must be the .p8 file from Apple's developer site")
      }
    }
    if case .file(let path) = source, let named = self.keyID(inFileName: path), named != keyID {
      report.warn(
        "apns.key_id",
        "is \(keyID), but the key file's name says \(named): Apple names a key file after its key ID")
    }
  }

  /// `ABCDE12345` of `/etc/pushbox/AuthKey_ABCDE12345.p8`.
  private static func keyID(inFileName path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
    let id = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
    return id.utf8.count == 10 ? String(id) : nil
  }

  private static func google(
    _ fcm: Configuration.FCM, _ credentials: Credentials, _ report: inout CheckReport
  ) {
    if let account = credentials.fcmServiceAccount {
      do throws(ServiceAccountError) {
        let account = try ServiceAccount(json: Array(account.exposed.utf8))
        report.ok(
          "fcm.service_account",
          "is \(account.clientEmail) of project \(account.projectID); access tokens from "
            + "\(account.tokenEndpoint.endpoint)")
      } catch {
        report.fail("fcm.service_account", "\(error)")
      }
    }
    authorities(fcm.caFile, "fcm.ca_file", &report)
  }

  private static func authorities(_ path: String?, _ key: String, _ report: inout CheckReport) {
    guard let path else { return }
    let text: String
    do throws(ConfigurationError) {
      text = String(decoding: try ConfigurationFile.read(path).bytes, as: UTF8.self)
    } catch {
      return report.fail(key, error.problems.map(\.message).joined(separator: "; "))
    }
    do throws(CryptoError) {
      for certificate in try CertificateFacts.all(inPEM: text) { expiry(certificate, key, &report) }
    } catch {
      report.fail(key, "\(path): \(error)")
    }
  }

  private static func expiry(_ certificate: CertificateFacts, _ key: String, _ report: inout CheckReport) {
    let name = "the certificate of \(certificate.commonName)"
    if certificate.hasExpired {
      report.fail(key, "\(name) has expired")
    } else if certificate.daysLeft < expiryWarning {
      report.warn(key, "\(name) expires in \(certificate.daysLeft) days")
    } else {
      report.ok(key, "\(name) is good for \(certificate.daysLeft) days")
    }
  }
}

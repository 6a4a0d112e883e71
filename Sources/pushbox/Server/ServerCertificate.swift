import Bytes
import Configuration
import Crypto
import EventLoop
import TLS

/// The certificate that this server shows, loaded from the files of `[tls]`.
struct ServerCertificate: Sendable {
  /// HTTP/2 first.
  private static let protocols = ["h2", "http/1.1"]

  let context: TLSContext
  /// Of the server's own certificate.
  let facts: CertificateFacts
  private let content: [UInt8]

  /// Loads certificate and key.
  ///
  /// - Parameter previous: the certificate in use, which an expired one must not replace.
  init(
    _ tls: Configuration.TLS, host: String, replacing previous: ServerCertificate? = nil
  ) throws(ServerError) {
    let chain = try Self.read(tls.certificateFile, "tls.certificate_file")
    let key = try Self.read(tls.keyFile, "tls.key_file")
    do throws(CryptoError) {
      let text = String(decoding: chain, as: UTF8.self)
      guard let own = try CertificateFacts.all(inPEM: text, host: host).first else {
        throw .invalidPEM("it holds no certificate")
      }
      facts = own
    } catch {
      throw ServerError("tls.certificate_file: \(tls.certificateFile): \(error)")
    }
    if facts.hasExpired, let previous, !previous.facts.hasExpired {
      throw ServerError("tls.certificate_file: \(tls.certificateFile): the certificate has expired")
    }
    do throws(TLSError) {
      context = try TLSContext.server(
        certificateChain: String(decoding: chain, as: UTF8.self),
        privateKey: String(decoding: key, as: UTF8.self), protocols: Self.protocols)
    } catch {
      throw ServerError(
        "tls.certificate_file, tls.key_file: \(tls.certificateFile), \(tls.keyFile): \(error)")
    }
    content = chain + key
  }

  func isSame(as other: ServerCertificate) -> Bool { content == other.content }

  /// In words, for the log.
  var summary: String {
    let end = facts.hasExpired ? "has expired" : "is good for \(facts.daysLeft) days"
    return "the certificate of \(facts.commonName.isEmpty ? "this server" : facts.commonName) \(end)"
  }

  private static func read(_ path: String, _ key: String) throws(ServerError) -> [UInt8] {
    do throws(ConfigurationError) {
      return try ConfigurationFile.read(path).bytes
    } catch {
      throw ServerError("\(key): " + error.problems.map(\.message).joined(separator: "; "))
    }
  }
}

/// The certificate for connections from now on, which every worker's server asks for. Any thread.
final class CertificateHolder: Sendable {
  private let context: Locked<TLSContext?>

  init(_ certificate: ServerCertificate?) {
    context = Locked(certificate?.context)
  }

  func set(_ certificate: ServerCertificate?) {
    context.withLock { $0 = certificate?.context }
  }

  func makeLayer(_ fd: Int32) -> Result<any TransportLayer, TransportError> {
    guard let context = context.withLock({ $0 }) else {
      return .failure(.tls(.library("there is no certificate")))
    }
    return context.makeLayer(fd: fd)
  }
}

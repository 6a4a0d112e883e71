import API
import Configuration
import Crypto
import EventLoop
import Store
import TLS
import Telemetry

/// What the admin page sees of the running server, and how it reloads it.
final class AdminConsole: AdminHost {
  private let server: Server
  private let reloader: Reloader
  /// Of the thread that SIGHUP is handled on, so that reloads go one after the other.
  private let loop: EventLoop

  init(_ server: Server, _ reloader: Reloader, loop: EventLoop) {
    self.server = server
    self.reloader = reloader
    self.loop = loop
  }

  var reloadState: AdminReloadState {
    let state = reloader.state
    return AdminReloadState(
      file: state.file, loadedAt: state.loadedAt, generation: state.generation, attempts: state.attempts,
      problems: state.problems, failedAt: state.failedAt)
  }

  var differsOnDisk: Bool { reloader.differsOnDisk }

  func reload(_ completion: @escaping @Sendable ([String]) -> Void) {
    loop.execute { [reloader] in
      completion(reloader.reload().problems)
    }
  }

  var configuration: [AdminConfigurationValue] {
    server.configuration.entries.map { entry in
      AdminConfigurationValue(
        key: entry.key.rawValue, section: entry.key.section, name: entry.key.name, value: entry.literal,
        origin: entry.origin.description, isDefault: entry.origin == .default,
        isSecret: entry.key.isSecret, help: entry.key.help)
    }
  }

  var endpoints: [TokenKind: String] {
    var endpoints: [TokenKind: String] = [:]
    let configuration = server.configuration
    endpoints[.apns] = configuration.apns?.productionEndpoint.text
    endpoints[.apnsSandbox] = configuration.apns?.sandboxEndpoint.text
    endpoints[.fcm] = configuration.fcm?.endpoint.text
    return endpoints
  }

  var storePath: String { server.configuration.store.path }
  var workerCount: Int { server.workerCount }

  // MARK: Credentials

  func expiry(of certificate: OwnCertificate) -> UInt64? {
    let seconds =
      switch certificate {
      case .tls: server.certificateFacts?.expiresAt
      case .apns: server.pushCertificateExpiry
      }
    return Self.milliseconds(seconds)
  }

  var credentials: [AdminCredential] {
    let configuration = server.configuration
    var credentials: [AdminCredential] = []
    if let facts = server.certificateFacts { credentials.append(serverCertificate(facts)) }
    switch configuration.apns?.authentication {
    case .token(_, let keyID, _):
      credentials.append(
        AdminCredential(
          name: "APNs signing key \(keyID)", key: "apns.key_file",
          note: "A token signing key does not expire."))
    case .certificate:
      credentials.append(
        AdminCredential(
          name: "APNs push certificate", key: "apns.certificate_file",
          expiresAt: expiry(of: .apns)))
    case nil: break
    }
    if let account = server.serviceAccountName {
      credentials.append(
        AdminCredential(
          name: "FCM service account \(account)", key: "fcm.service_account_file",
          note: "Its key does not expire unless the project's policy says so."))
    }
    for (path, key) in [
      (configuration.apns?.caFile, "apns.ca_file"), (configuration.fcm?.caFile, "fcm.ca_file"),
      (configuration.outbound.caFile, "outbound.ca_file"),
    ] {
      if let path { credentials += Self.authorities(path, key) }
    }
    return credentials
  }

  private func serverCertificate(_ facts: CertificateFacts) -> AdminCredential {
    let host = server.configuration.server.publicURL.host
    return AdminCredential(
      name: "Server certificate", key: "tls.certificate_file", names: facts.names, issuer: facts.issuer,
      expiresAt: expiry(of: .tls),
      note: facts.isForHost
        ? nil
        : "It does not stand for \(host), the host of server.public_url: unless a proxy is before pushbox, the "
          + "relay refuses it.")
  }

  /// - Parameter seconds: since the epoch.
  private static func milliseconds(_ seconds: Int64?) -> UInt64? {
    seconds.map { UInt64(clamping: $0) * 1000 }
  }

  private static func authorities(_ path: String, _ key: String) -> [AdminCredential] {
    guard let file = try? ConfigurationFile.read(path),
      let certificates = try? CertificateFacts.all(inPEM: String(decoding: file.bytes, as: UTF8.self))
    else {
      return [AdminCredential(name: "Authorities", key: key, note: "\(path) cannot be read.")]
    }
    return certificates.map { facts in
      AdminCredential(
        name: "Authority \(facts.commonName)", key: key, expiresAt: milliseconds(facts.expiresAt))
    }
  }
}

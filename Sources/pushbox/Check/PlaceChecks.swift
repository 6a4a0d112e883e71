import Configuration
import EventLoop
import Glibc

/// Looks at this machine: the store's folder, file permissions, ports and the public URL.
enum PlaceChecks {
  static func run(_ configuration: Configuration, _ file: String?, _ report: inout CheckReport) {
    publicURL(configuration.server.publicURL, &report)
    secretsInFile(configuration, &report)
    store(configuration.store, &report)
    tokenKey(configuration.store, &report)
    let server = holder(ofStore: configuration.store.path)
    for address in configuration.server.listen { port(address, servedBy: server, &report) }
  }

  // MARK: The public URL

  private static func publicURL(_ url: HTTPURL, _ report: inout CheckReport) {
    let subject = "server.public_url"
    if isPrivate(url.host) {
      report.warn(
        subject,
        "\(url.host) is an address of this machine or its network: the relay and wallets can't reach it")
    } else if SocketAddress(ip: url.host, port: 0) != nil {
      report.fail(
        subject, "\(url.host) is an address: the relay and wallets need a host name with a certificate")
    }
    if !url.isSecure {
      let words = "begins with http: the relay and wallets need https"
      if isPrivate(url.host) { report.warn(subject, words) } else { report.fail(subject, words) }
    }
    if url.path.split(separator: "/").last == "clients" {
      report.warn(subject, "ends with /clients, which the relay and the SDKs add by themselves")
    }
    report.ok(subject, "the push URL to give to the WalletConnect dashboard is \(url.text)")
  }

  /// Loopback, link-local and private addresses (RFC 1918, RFC 4193), and names that never leave a network.
  private static func isPrivate(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".local") || host.hasSuffix(".internal") { return true }
    guard let address = SocketAddress(ip: host, port: 0) else { return false }
    if address.isIPv6 {
      let text = address.ipText
      return text == "::1" || text.hasPrefix("fe8") || text.hasPrefix("fc") || text.hasPrefix("fd")
    }
    let parts = host.split(separator: ".").compactMap { UInt8($0) }
    guard parts.count == 4 else { return false }
    return switch (parts[0], parts[1]) {
    case (10, _), (127, _), (192, 168), (169, 254), (0, _): true
    case (172, let second): (16...31).contains(second)
    default: false
    }
  }

  // MARK: Files

  /// A key given inline makes the configuration a secret file.
  private static func secretsInFile(_ configuration: Configuration, _ report: inout CheckReport) {
    for key in [ConfigurationKey.apnsKey, .fcmServiceAccount] {
      guard case .file(let path, _, _)? = configuration.origins[key], let mode = mode(of: path),
        mode & S_IROTH != 0
      else { continue }
      report.warn(
        key.rawValue,
        "is given in \(path), which every user can read; change that with: chmod 600 \(path)")
    }
  }

  private static func store(_ store: Configuration.Store, _ report: inout CheckReport) {
    let subject = "store.path"
    var status = stat()
    guard stat(store.path, &status) == 0 else {
      guard errno == ENOENT else {
        return report.fail(subject, "\(store.path): \(String(cString: strerror(errno)))")
      }
      let parent = parent(of: store.path)
      guard access(parent, W_OK | X_OK) == 0 else {
        return report.fail(
          subject, "\(store.path) is not there and can't be made: no permission to write in \(parent)")
      }
      return report.ok(subject, "\(store.path) is not there yet; it will be made")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return report.fail(subject, "\(store.path) is no folder")
    }
    guard access(store.path, R_OK | W_OK | X_OK) == 0 else {
      return report.fail(subject, "\(store.path): this user may not read and write there")
    }
    report.ok(subject, "\(store.path) can be written")
    if status.st_mode & (S_IRWXO | S_IWGRP) != 0 {
      report.warn(
        subject, "\(store.path) is open to other users; change that with: chmod 700 \(store.path)")
    }
  }

  private static func tokenKey(_ store: Configuration.Store, _ report: inout CheckReport) {
    let subject = "store.token_key_file"
    guard let mode = mode(of: store.tokenKeyFile) else {
      if access(store.path + "/registrations", F_OK) == 0 {
        report.fail(
          subject,
          "\(store.tokenKeyFile) is missing, and the registrations in \(store.path) can't be read without it: "
            + "restore it from your copy")
      } else {
        report.ok(subject, "\(store.tokenKeyFile) will be made at the first start; keep a copy of it")
      }
      return
    }
    if mode & (S_IRWXO | S_IRWXG) != 0 {
      report.warn(
        subject,
        "\(store.tokenKeyFile) can be read by others; change that with: chmod 600 \(store.tokenKeyFile)")
    } else {
      report.ok(subject, "\(store.tokenKeyFile) is there, for its owner only")
    }
  }

  private static func mode(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode : nil
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  // MARK: Ports

  /// The process that serves from a store's folder, by its lock; nil when none does.
  private static func holder(ofStore path: String) -> String? {
    let file = open(path + "/serve.lock", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard flock(file, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = read(file, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).prefix { $0 > 0x20 }, as: UTF8.self)
  }

  private static func port(
    _ address: ListenAddress, servedBy server: String?, _ report: inout CheckReport
  ) {
    let subject = "server.listen"
    guard let place = SocketAddress(ip: address.ip, port: address.port) else {
      return report.fail(subject, "\(address) is no address")
    }
    do throws(SystemError) {
      let listener = try Listener(loop: try EventLoop(), address: place)
      report.ok(subject, "\(address) is free")
      listener.close()
    } catch {
      if error.code == EADDRINUSE, let server {
        report.ok(subject, "\(address) is in use; pushbox serves as process \(server)")
      } else if error.code == EADDRINUSE {
        report.fail(
          subject,
          "\(address) is in use by another program; find it with: ss -ltnp 'sport = :\(address.port)'")
      } else if error.code == EACCES {
        report.fail(
          subject,
          "this user may not listen at \(address): take a port above 1023, or give the capability "
            + "CAP_NET_BIND_SERVICE")
      } else {
        report.fail(subject, "\(error)")
      }
    }
  }
}

import Configuration
import EventLoop
import Glibc

/// Sees when the configuration or a key file changes, by looking at intervals: that works on every file
/// system, and for files that are replaced or mounted anew. Loop thread only.
final class ConfigurationWatch {
  private static let interval = Duration.seconds(1)

  /// What tells one state of a file from another.
  private struct Fingerprint: Equatable {
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  private let loop: EventLoop
  /// The files to look at; nil while watching is off.
  private let files: () -> [String]?
  private let isOutdated: () -> Bool
  private let onChange: () -> Void
  private var known: [Fingerprint?]?
  /// Seen at the last look and other than `known`: whoever writes may not be done.
  private var candidate: [Fingerprint?]?

  /// - Parameter isOutdated: whether the configuration in effect is not what its file says: asked before
  ///   the first look, since the file may have changed after it was read.
  init(
    loop: EventLoop, files: @escaping () -> [String]?, isOutdated: @escaping () -> Bool,
    onChange: @escaping () -> Void
  ) {
    self.loop = loop
    self.files = files
    self.isOutdated = isOutdated
    self.onChange = onChange
  }

  /// Looks from now on, for as long as the loop runs.
  func start() {
    look()
  }

  private func look() {
    defer { loop.schedule(after: Self.interval) { [self] in look() } }
    guard let files = files() else {
      known = nil
      candidate = nil
      return
    }
    let now = files.map(Self.fingerprint)
    guard let known, known.count == now.count else {
      self.known = now
      if isOutdated() { onChange() }
      return
    }
    guard now != known else { return candidate = nil }
    guard now == candidate else { return candidate = now }
    candidate = nil
    onChange()
    // Of the files of the configuration that is in effect by now, and from before it was read, so that a
    // change meanwhile counts.
    self.known = self.files() == files ? now : nil
  }

  private static func fingerprint(_ path: String) -> Fingerprint? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Fingerprint(
      inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }
}

extension Configuration {
  /// Every file that it names, but those of the store.
  var namedFiles: [String] { keyFiles + (tls.map { [$0.certificateFile, $0.keyFile] } ?? []) }

  /// The files that it names and that are read when it is loaded.
  var keyFiles: [String] {
    var files: [String] = []
    if case .file(let path)? = relay.publicKey { files.append(path) }
    switch apns?.authentication {
    case .token(let key, _, _):
      if case .file(let path) = key { files.append(path) }
    case .certificate(let certificate, let password, let privateKeyFile):
      if case .file(let path) = certificate { files.append(path) }
      if case .file(let path)? = password { files.append(path) }
      if let privateKeyFile { files.append(privateKeyFile) }
    case nil: break
    }
    for case .file(let path)? in [fcm?.serviceAccount, admin?.passwordHash, metrics.token] {
      files.append(path)
    }
    files += [apns?.caFile, fcm?.caFile, outbound.caFile].compactMap { $0 }
    return files
  }
}

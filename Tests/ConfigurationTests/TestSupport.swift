import Configuration
import Glibc
import Testing

/// A folder that is removed with its files when the last reference goes.
final class TemporaryFolder {
  struct Failed: Error {}

  let path: String
  private var files: [String] = []

  init() throws {
    var template = Array("/tmp/pushbox-configuration-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failed() }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for file in files { unlink(file) }
    rmdir(path)
  }

  /// Writes `content` and returns the path.
  func write(_ content: String, to name: String, mode: mode_t = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, mode)
    guard descriptor >= 0 else { throw Failed() }
    defer { close(descriptor) }
    files.append(file)
    // Past the umask.
    fchmod(descriptor, mode)
    let bytes = Array(content.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw Failed() }
    return file
  }
}

enum Sample {
  static let relayKey = String(repeating: "ab", count: 32)
  static let pem = "-----BEGIN PRIVATE KEY-----\nVE9QU0VDUkVU\n-----END PRIVATE KEY-----\n"
  static let account = #"{"private_key": "TOPSECRET"}"#

  /// All that is required, and no more.
  static let minimal = """
    [server]
    public_url = "https://push.example.com"
    [relay]
    public_key = "\(relayKey)"
    [fcm]
    service_account = '{"private_key": "TOPSECRET"}'


    """
}

/// Loads `text` as a file, whose name is shortened to `c.toml` in what is reported.
func load(
  _ text: String?, environment: [String: String] = [:]
) throws -> (configuration: Configuration, warnings: [String]) {
  let folder = try TemporaryFolder()
  let file = try text.map { try folder.write($0, to: "c.toml") }
  let (configuration, warnings) = try Configuration.load(file: file, environment: environment)
  return (configuration, warnings.map { $0.description.replacing("\(folder.path)/", with: "") })
}

/// What loading `text` reports as problems; empty when it is accepted.
func problems(_ text: String?, environment: [String: String] = [:]) throws -> [String] {
  let folder = try TemporaryFolder()
  let file = try text.map { try folder.write($0, to: "c.toml") }
  do {
    _ = try Configuration.load(file: file, environment: environment)
    return []
  } catch {
    return error.problems.map { $0.description.replacing("\(folder.path)/", with: "") }
  }
}

import Configuration
import EventLoop
import Glibc
import MockGateway
import MockRelay
import Telemetry

/// What the demo plays on: mock gateways, a relay with a new key, and a real server configured by a real
/// file in a temporary folder.
final class DemoStage {
  let gateway: MockGateway
  let relay: MockRelay
  let server: Server
  let folder: String
  let client: BlockingHTTPClient
  let address: SocketAddress

  init() throws {
    folder = try Self.makeFolder()
    do {
      gateway = try MockGateway.start()
      relay = try MockRelay()
      let files = MockConfiguration(folder: folder, gateway: gateway, relayPublicKey: relay.publicKeyHex)
      try files.write()
      let (configuration, _) = try Configuration.load(file: files.path, environment: [:])
      let (credentials, _) = try Credentials.load(configuration)
      server = try Server(configuration, credentials, log: Log(level: .error))
      guard let address = server.addresses.first?.address else {
        throw ServerError("the server has no address")
      }
      self.address = address
      client = BlockingHTTPClient(port: address.port)
    } catch {
      Self.remove(folder)
      throw error
    }
  }

  /// Stops everything and removes the folder.
  func tearDown() {
    client.disconnect()
    server.stop()
    gateway.stop()
    Self.remove(folder)
  }

  private static func makeFolder() throws(ServerError) -> String {
    let base = ProcessEnvironment.all()["TMPDIR"] ?? "/tmp"
    var template = Array("\(base)/pushbox-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ServerError("no temporary folder in \(base): \(String(cString: strerror(errno)))")
    }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes a folder of our own making, with everything in it.
  private static func remove(_ path: String) {
    guard let handle = opendir(path) else { return }
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      let child = path + "/" + name
      if entry.pointee.d_type == UInt8(DT_DIR) {
        remove(child)
      } else {
        unlink(child)
      }
    }
    closedir(handle)
    rmdir(path)
  }
}

import Bytes
import Crypto
import EventLoop
import MockRelay

/// The clients that a load goes to and the requests of it, made before the clock starts.
struct Workload: Sendable {
  struct Client: Sendable {
    let id: String
    /// Empty for one that the server has already.
    var token = ""
    var type = ""
  }

  private let clients: [Client]
  private let host: String
  /// Nil leaves the pushes unsigned.
  private let relay: MockRelay?
  private let messageBytes: Int
  /// Makes the messages of this run different from those of others.
  private let runID: String

  /// - Parameter messageBytes: random bytes of a message, which goes as base64.
  init(clients: [Client], host: String, relay: MockRelay?, messageBytes: Int) throws(CryptoError) {
    self.clients = clients
    self.host = host
    self.relay = relay
    self.messageBytes = messageBytes
    runID = Hex.encode(try Random.bytes(8))
  }

  static func newClients(_ count: Int) throws(CryptoError) -> [Client] {
    var clients: [Client] = []
    for index in 0..<count {
      let id = try MockWallet().clientID
      // Phones of both makers, in turn.
      if index % 2 == 0 {
        clients.append(Client(id: id, token: Hex.encode(try Random.bytes(32)), type: "apns"))
      } else {
        clients.append(
          Client(id: id, token: "load:" + Base64.encode(try Random.bytes(105), .url), type: "fcm"))
      }
    }
    return clients
  }

  /// One `POST /clients` for each client.
  var registrations: [[UInt8]] {
    clients.map { client in
      request(
        "/clients", [],
        MockWallet.body(clientID: client.id, type: client.type, token: client.token, alwaysRaw: true))
    }
  }

  /// `count` pushes, no two of them alike, made on several threads.
  func pushes(_ count: Int, from first: Int, threads: Int) throws -> [[UInt8]] {
    let share = (count + threads - 1) / max(1, threads)
    let parts = Locked<[Int: Result<[[UInt8]], CryptoError>]>([:])
    var running: [SystemThread] = []
    for part in 0..<threads {
      let range = min(part * share, count)..<min((part + 1) * share, count)
      running.append(
        try SystemThread(name: "sign-\(part)") {
          let made = makePushes((range.lowerBound + first)..<(range.upperBound + first))
          parts.withLock { $0[part] = made }
        })
    }
    for thread in running { thread.join() }
    var all: [[UInt8]] = []
    all.reserveCapacity(count)
    for part in 0..<threads {
      if let made = parts.withLock({ $0.removeValue(forKey: part) }) { all += try made.get() }
    }
    return all
  }

  private func makePushes(_ range: Range<Int>) -> Result<[[UInt8]], CryptoError> {
    do throws(CryptoError) {
      // The same noise in each message of a thread; the number in front makes it another one.
      let noise = Base64.encode(try Random.bytes(messageBytes))
      let topic = Hex.encode(try Random.bytes(32))
      var requests: [[UInt8]] = []
      requests.reserveCapacity(range.count)
      for index in range {
        requests.append(try push(to: clients[index % clients.count], index, topic, noise))
      }
      return .success(requests)
    } catch {
      return .failure(error)
    }
  }

  private func push(
    to client: Client, _ index: Int, _ topic: String, _ noise: String
  ) throws(CryptoError) -> [UInt8] {
    let body = MockRelay.rawBody(topic: topic, tag: 1108, message: "\(runID)\(index)\(noise)")
    let fields = try relay?.signatureFields(body, timestamp: WallClock.seconds()) ?? []
    return request("/clients/\(client.id)", fields, body)
  }

  private func request(
    _ target: String, _ fields: [(name: String, value: String)], _ body: [UInt8]
  ) -> [UInt8] {
    var text = "POST \(target) HTTP/1.1\r\nhost: \(host)\r\ncontent-type: application/json\r\n"
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    text += "content-length: \(body.count)\r\n\r\n"
    return Array(text.utf8) + body
  }
}

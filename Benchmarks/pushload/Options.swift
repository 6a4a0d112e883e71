/// The command line of `pushload`.
struct Options {
  enum Mode {
    case load
    /// Answers every request with 202 at once.
    case nullServer
  }

  static let usage = """
    usage: pushload --port PORT [--host IP] [--count N] [--seconds S] [--warm-up N] [--connections N]
                    [--depth N] [--clients N] [--message-bytes N] [--threads N] [--relay-seed FILE]
                    [--no-registration] [--known-clients] [--wait]
           pushload null-server --port PORT

    Sends COUNT distinct pushes, or those that begin within S seconds, and prints one line of JSON.
    --depth            requests under way on each connection (1)
    --relay-seed       file with the hex seed of the relay's key; without it the pushes are not signed
    --no-registration  the server is none that knows clients
    --known-clients    read the IDs of clients that the server has from standard input, a line each
    --wait             print "ready" once all is prepared, and begin with the next line of standard input
    """

  var mode = Mode.load
  var target = LoadTarget(port: 0)
  var count = 20_000
  var seconds: Int?
  var warmUp = 1000
  var clients = 1000
  var messageBytes = 384
  var threads = 2
  var seedFile: String?
  var registers = true
  var readsClients = false
  var waits = false

  /// Nil when the arguments are wrong.
  init?(_ arguments: some Collection<String>) {
    var rest = Array(arguments)[...]
    if rest.first == "null-server" {
      mode = .nullServer
      rest.removeFirst()
    }
    while let name = rest.popFirst() {
      if name == "--no-registration" {
        registers = false
      } else if name == "--known-clients" {
        (readsClients, registers) = (true, false)
      } else if name == "--wait" {
        waits = true
      } else {
        guard let value = rest.popFirst(), set(name, value) else { return nil }
      }
    }
    guard target.port > 0 || mode == .nullServer else { return nil }
  }

  private mutating func set(_ name: String, _ value: String) -> Bool {
    switch name {
    case "--host": target.host = value
    case "--relay-seed": seedFile = value
    case "--port":
      guard let port = UInt16(value) else { return false }
      target.port = port
    default:
      guard let number = Int(value), number >= 0 else { return false }
      return set(name, number)
    }
    return true
  }

  private mutating func set(_ name: String, _ value: Int) -> Bool {
    switch name {
    case "--count": count = value
    case "--seconds": seconds = value
    case "--warm-up": warmUp = value
    case "--connections": target.connections = max(1, value)
    case "--depth": target.depth = max(1, value)
    case "--clients": clients = max(1, value)
    case "--message-bytes": messageBytes = value
    case "--threads": threads = max(1, value)
    default: return false
    }
    return true
  }
}

import MockRelay
import TestSupport
import Testing

/// Connections, and how long each may take for what.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct ConnectionLimitTests {
  private static let get = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

  private func appliance(_ server: String, more: String = "[limits]\nexempt = []") throws -> Appliance {
    try Appliance { settings in
      settings.server += "\n" + server
      settings.more += "\n" + more
    }
  }

  private func isServed(_ connection: RawConnection) throws -> Bool {
    try connection.send(Self.get) && connection.readResponse()?.hasPrefix("HTTP/1.1 200") == true
  }

  @Test func connectionsOfOneAddress() throws {
    let appliance = try appliance("max_connections_per_address = 3")
    let port = appliance.port
    var open = try (0..<3).map { _ in try RawConnection(port: port, source: "127.0.0.5") }
    for connection in open { #expect(try isServed(connection)) }
    #expect(try !isServed(RawConnection(port: port, source: "127.0.0.5")))
    #expect(try isServed(RawConnection(port: port, source: "127.0.0.6")))
    open.removeLast()
    // The server has yet to see the end of the one that is gone.
    var isFree = false
    for _ in 0..<1000 where !isFree { isFree = try isServed(RawConnection(port: port, source: "127.0.0.5")) }
    #expect(isFree)
    for connection in open { #expect(try isServed(connection)) }
  }

  /// Behind a trusted proxy all connections come from one address.
  @Test func proxiesAndExemptAddressesHaveAnyNumber() throws {
    let proxied = try appliance("max_connections_per_address = 1\ntrusted_proxies = [\"127.0.0.5\"]")
    let first = try (0..<4).map { _ in try RawConnection(port: proxied.port, source: "127.0.0.5") }
    for connection in first { #expect(try isServed(connection)) }
    let exempt = try appliance("max_connections_per_address = 1", more: "")
    let second = try (0..<4).map { _ in try RawConnection(port: exempt.port) }
    for connection in second { #expect(try isServed(connection)) }
  }

  @Test func connectionsInAll() throws {
    let appliance = try appliance("max_connections = 2", more: "")
    try appliance.configure { $0.replacing("workers = 2", with: "workers = 1") }
    #expect(appliance.end(15) == 0)
    try appliance.restart()
    let open = try (0..<2).map { _ in try RawConnection(port: appliance.port) }
    for connection in open { #expect(try isServed(connection)) }
    #expect(try !isServed(RawConnection(port: appliance.port)))
  }

  @Test func requestsOfOneConnection() throws {
    let appliance = try appliance("max_requests_per_connection = 2")
    let connection = try RawConnection(port: appliance.port)
    connection.send(Self.get + Self.get + Self.get)
    #expect(try connection.readResponse()?.contains("connection: close") == false)
    #expect(try connection.readResponse()?.contains("connection: close") == true)
    #expect(try connection.readResponse() == nil)
  }

  @Test func whoIsSlowIsCutOff() throws {
    let appliance = try appliance(
      "header_timeout_ms = 300\nbody_timeout_ms = 300\nidle_timeout_ms = 300\nwrite_timeout_ms = 300")
    let port = appliance.port
    let silent = try RawConnection(port: port)
    let header = try RawConnection(port: port)
    header.send("GET /health HTTP/1.1\r\nHost: a\r\nX: ")
    let body = try RawConnection(port: port)
    body.send("POST /clients HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{")
    let idle = try RawConnection(port: port)
    #expect(try isServed(idle))
    // Takes no answer, asks on and on.
    let deaf = try RawConnection(port: port, receiveBuffer: 2048)
    let many = String(repeating: "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", count: 20_000)
    deaf.send(many)
    #expect(try silent.readToEnd() == [])
    for slow in [header, body] {
      let answer = try String(decoding: slow.readToEnd(), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
      #expect(answer.contains("\"FAILURE\""), "\(answer)")
    }
    #expect(try idle.readToEnd() == [])
    #expect(deaf.isReset())
  }

  /// A byte now and then buys no time.
  @Test func aSlowLorisIsCutOff() throws {
    let appliance = try appliance("header_timeout_ms = 400")
    let connection = try RawConnection(port: appliance.port)
    var sent = 0
    while sent < 2000, connection.staysSilent(milliseconds: 5), connection.send(sent == 0 ? "GET /" : "a") {
      sent += 1
    }
    #expect(sent < 2000)
    let answer = try String(decoding: connection.readToEnd(), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
  }
}

import Glibc
import JSON
import MockRelay
import TestSupport
import Testing

/// The real server, byte for byte.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct HostileRequestTests {
  private let appliance: Appliance

  init() throws {
    appliance = try Appliance { $0.server += "\nmax_body_bytes = \"64KiB\"" }
  }

  private func status(_ response: String?) -> Int? {
    response.flatMap { Int($0.dropFirst("HTTP/1.1 ".count).prefix(3)) }
  }

  @Test func everyHostileRequestGetsItsAnswer() throws {
    #expect(HostileRequest.all.count >= 80)
    let port = appliance.port
    for request in HostileRequest.all {
      let connection = try RawConnection(port: port)
      connection.send(request.bytes)
      for expected in request.statuses {
        let response = try connection.readResponse()
        #expect(status(response) == expected, "\(request): \(response?.prefix(300) ?? "closed")")
        guard expected >= 400, let response, let body = response.firstRange(of: "\r\n\r\n")?.upperBound else {
          continue
        }
        let isFailure = response[body...].contains("\"status\":\"FAILURE\"")
        #expect(isFailure, "\(request): \(response)")
      }
      if request.closes {
        #expect(try connection.readToEnd() == [], "\(request): more came")
      } else if request.statuses == [100] {
        connection.send("{}")
        #expect(try status(connection.readResponse()) == 415, "\(request)")
      } else {
        connection.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try status(connection.readResponse()) == 200, "\(request): the connection did not go on")
      }
    }
    #expect(try appliance.client().send("GET", "/health").status == 200)
  }

  /// However it is cut into pieces, it is the same request.
  @Test func bytesOneByOneChangeNothing() throws {
    let port = appliance.port
    // Of one answer: after the first of several the rest would not be sent.
    for request in HostileRequest.all
    where request.bytes.count < 120 && request.closes && request.statuses.count == 1 {
      let connection = try RawConnection(port: port)
      for byte in request.bytes where connection.isSilent { connection.send([byte]) }
      for expected in request.statuses {
        #expect(try status(connection.readResponse()) == expected, "\(request)")
      }
      #expect(try connection.readToEnd() == [], "\(request)")
    }
  }

  @Test func headHasNoBody() throws {
    let connection = try RawConnection(port: appliance.port)
    connection.send("HEAD /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let text = try String(decoding: connection.readToEnd(), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(text.contains("\r\ncontent-length: "))
    #expect(text.hasSuffix("\r\n\r\n"))
  }

  @Test func halfClosedConnections() throws {
    let whole = try RawConnection(port: appliance.port)
    whole.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
    whole.endInput()
    #expect(try status(whole.readResponse()) == 200)
    #expect(try whole.readToEnd() == [])
    for part in [
      "", "GET /hea", "GET /health HTTP/1.1\r\nHost: a\r\n",
      "POST /clients HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{",
    ] {
      let connection = try RawConnection(port: appliance.port)
      connection.send(part)
      connection.endInput()
      #expect(try connection.readToEnd() == [], "\(part)")
    }
  }

  // MARK: JSON (the public suite of Nicolas Seriot)

  private static let vectors =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/../shared/vectors/json"

  private static let vectorNames: [String] = {
    guard let names = Files.names(in: vectors) else {
      print("NO JSON VECTORS AT \(vectors): HostileRequestTests skips them")
      return []
    }
    return names.filter { $0.hasSuffix(".json") }
  }()

  @Test(.enabled(if: !vectorNames.isEmpty)) func jsonVectorsOverTheRealRoute() throws {
    let appliance = try Appliance { settings in
      settings.server += "\nmax_body_bytes = \"1MiB\""
      settings.relay += "\nvalidate_signatures = false"
    }
    let wallet = try appliance.registered()
    let client = appliance.client()
    let json = [(name: "content-type", value: "application/json")]
    for name in Self.vectorNames {
      let body = try #require(Files.read(Self.vectors + "/" + name))
      for target in ["/clients", "/clients/\(wallet.clientID)"] {
        let response = try client.send("POST", target, fields: json, body: body)
        // An array is JSON and yet no registration.
        let isMalformed = response.errorName == "decode" && !response.text.contains("object")
        switch name.prefix(2) {
        case "y_": #expect(!isMalformed && response.status < 500, "\(name) at \(target): \(response.text)")
        case "n_":
          #expect(
            response.status == 400 && response.errorName == "decode", "\(name) at \(target): \(response.text)"
          )
        default: #expect(response.status < 500, "\(name) at \(target): \(response.text)")
        }
      }
    }
    for depth in [1000, 100_000, 500_000] {
      let open = [UInt8](repeating: UInt8(ascii: "["), count: depth)
      let close = [UInt8](repeating: UInt8(ascii: "]"), count: depth)
      for body in [open, open + close] {
        #expect(try client.send("POST", "/clients", fields: json, body: body).status == 400)
      }
    }
    #expect(appliance.gateway.deliveryCount == 0)
  }
}

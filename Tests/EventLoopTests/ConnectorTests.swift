import Bytes
import Glibc
import Testing

@testable import EventLoop

private typealias Connected = Result<(fd: Int32, address: SocketAddress), TransportError>

/// An address whose connections are never answered: a listener with its queue full.
private final class DeadEnd {
  let address: SocketAddress
  private var descriptors: [Int32] = []

  init() throws {
    let loopback = try #require(SocketAddress(ip: "127.0.0.1", port: 0))
    let listener = try Socket(for: loopback).release()
    descriptors.append(listener)
    _ = loopback.withSockaddr { bind(listener, $0, $1) }
    #expect(Glibc.listen(listener, 0) == 0)
    let bound = try #require(Socket.localAddress(of: listener))
    address = bound
    // The kernel takes one more than asked for; further SYNs are dropped.
    for _ in 0..<4 {
      let filler = try Socket(for: bound).release()
      descriptors.append(filler)
      _ = bound.withSockaddr { connect(filler, $0, $1) }
    }
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }
}

@Suite(.timeLimit(.minutes(10))) struct ConnectorTests {
  private func resolver(_ addresses: [SocketAddress]) -> ResolverCache {
    ResolverCache(lookUp: { _, _ in .success(addresses) })
  }

  /// Connects to `addresses`; gives the address that won, or the error. Looking up has its own, longer time.
  private func connect(
    _ addresses: [SocketAddress], timeout: Duration = .seconds(5)
  ) async throws -> (result: Result<SocketAddress, TransportError>?, time: Duration) {
    let resolver = resolver(addresses)
    return try await onLoop { loop, report in
      let start = MonotonicTime.now()
      let connector = Connector(
        loop: loop, host: "gateway.test", port: 1,
        timeouts: ConnectTimeouts(lookUp: .seconds(30), connect: timeout, handshake: timeout),
        resolver: resolver
      ) { result in
        let time = MonotonicTime.now() - start
        switch result {
        case .success(let (fd, address)):
          close(fd)
          report((.success(address), time))
        case .failure(let error): report((.failure(error), time))
        }
      }
      connector.start()
      loop.schedule(after: .seconds(30)) { _ = connector }
    }
  }

  /// A port on which connections are accepted by the kernel.
  private func live(_ ip: String = "127.0.0.1") throws -> (socket: Int32, address: SocketAddress) {
    let any = try #require(SocketAddress(ip: ip, port: 0))
    let socket = try Socket(for: any).release()
    try #require(any.withSockaddr { bind(socket, $0, $1) } == 0)
    try #require(Glibc.listen(socket, 16) == 0)
    return (socket, try #require(Socket.localAddress(of: socket)))
  }

  private func closedPort() throws -> SocketAddress {
    let (socket, address) = try live()
    close(socket)
    return address
  }

  @Test func familiesAlternateBeginningWithTheFirst() throws {
    let addresses = try ["::1", "::2", "::3", "1.1.1.1", "1.1.1.2"].map {
      try #require(SocketAddress(ip: $0, port: 443))
    }
    #expect(Connector.alternating(addresses).map(\.ipText) == ["::1", "1.1.1.1", "::2", "1.1.1.2", "::3"])
    #expect(Connector.alternating([]).isEmpty)
  }

  @Test func aDeadAddressCostsAHeadStartOnly() async throws {
    let dead = try DeadEnd()
    let live = try live()
    defer { close(live.socket) }
    let (result, time) = try await connect([dead.address, live.address])
    #expect(result == .success(live.address))
    #expect(time >= Connector.headStart)
    #expect(time < .seconds(2))
  }

  @Test func aRefusedAddressCostsNothing() async throws {
    let live = try live()
    defer { close(live.socket) }
    let (result, time) = try await connect([try closedPort(), try closedPort(), live.address])
    #expect(result == .success(live.address))
    #expect(time < Connector.headStart)
  }

  @Test func whenAllAreDeadTheTimeoutEndsIt() async throws {
    let dead = try DeadEnd()
    let (result, _) = try await connect([dead.address], timeout: .milliseconds(100))
    #expect(result == .failure(.connectTimedOut(address: "gateway.test:1")))
  }

  @Test func whenAllRefuseTheLastReasonIsTold() async throws {
    let address = try closedPort()
    let (result, _) = try await connect([address])
    #expect(
      result == .failure(.connectFailed(address: address.description, reason: "Connection refused")))
  }

  @Test func aSlowResolverHasItsOwnTimeout() async throws {
    let gate = Rendezvous<Bool>()
    let resolver = ResolverCache(lookUp: { _, _ in
      _ = gate.wait()
      return .success([])
    })
    let error: TransportError? = try await onLoop { loop, report in
      let timeouts = ConnectTimeouts(lookUp: .milliseconds(50), connect: .seconds(5), handshake: .seconds(5))
      let connector = Connector(
        loop: loop, host: "gateway.test", port: 1, timeouts: timeouts, resolver: resolver
      ) { result in
        if case .failure(let error) = result { report(error) } else { report(nil) }
      }
      connector.start()
    }
    gate.give(true)
    guard case .resolveFailed("gateway.test", _) = error else {
      Issue.record("got \(String(describing: error))")
      return
    }
  }

  @Test func outboundSocketsNoticeADeadPeer() async throws {
    let live = try live()
    defer { close(live.socket) }
    let resolver = resolver([live.address])
    let options: [Int32] = try await onLoop { loop, report in
      let connector = Connector(
        loop: loop, host: "gateway.test", port: 1, timeouts: ConnectTimeouts(each: .seconds(5)),
        resolver: resolver
      ) { result in
        guard case .success(let (fd, _)) = result else { return report([]) }
        report([
          Self.option(fd, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT), Self.option(fd, SOL_SOCKET, SO_KEEPALIVE),
        ])
        close(fd)
      }
      connector.start()
    }
    #expect(options == [10_000, 1])
  }

  private static func option(_ fd: Int32, _ level: Int32, _ option: Int32) -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(fd, level, option, &value, &length)
    return value
  }
}

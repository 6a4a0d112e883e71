import Bytes
import EventLoop
import Glibc
import Testing

/// Records what a transport tells it, and lets a test react.
private final class Recorder: TransportDelegate {
  var received: [UInt8] = []
  var onConnect: (any Transport) -> Void = { _ in }
  var onRead: (any Transport, Recorder) -> Void = { _, _ in }
  var onEOF: (any Transport) -> Void = { _ in }
  var onClose: (TransportError?) -> Void = { _ in }
  var transport: (any Transport)?

  func transportDidConnect(_ transport: any Transport) { onConnect(transport) }
  func transport(_ transport: any Transport, didRead bytes: Span<UInt8>) {
    for index in bytes.indices { received.append(bytes[index]) }
    onRead(transport, self)
  }
  func transportDidReadEOF(_ transport: any Transport) { onEOF(transport) }
  func transportDidDrain(_ transport: any Transport) {}
  func transport(_ transport: any Transport, didCloseWith error: TransportError?) { onClose(error) }
}

/// A listener that hands each accepted transport to `prepare` before it starts.
private func listen(on loop: EventLoop, _ prepare: @escaping (SocketTransport, Recorder) -> Void)
  -> Listener?
{
  guard let address = SocketAddress(ip: "127.0.0.1", port: 0),
    let listener = try? Listener(loop: loop, address: address)
  else { return nil }
  try? listener.start { socket, peer in
    let transport = SocketTransport(loop: loop, accepted: socket, from: peer)
    let recorder = Recorder()
    recorder.transport = transport
    // Kept until the connection ends.
    recorder.onClose = { _ in recorder.transport = nil }
    transport.delegate = recorder
    prepare(transport, recorder)
    transport.start(handshakeTimeout: .seconds(5))
  }
  return listener
}

/// A blocking server for one connection.
private final class RawServer {
  private let listener: Int32
  let port: UInt16

  init?() {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fd = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(fd, $0, size) == 0 && listen(fd, 1) == 0 && getsockname(fd, $0, &size) == 0
      }
    }
    guard isBound else { return nil }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(listener) }

  func answerAndReset(_ bytes: [UInt8]) {
    let connection = accept(listener, nil, nil)
    _ = send(connection, bytes, bytes.count, 0)
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close(connection)
  }
}

@Suite(.timeLimit(.minutes(10))) struct TransportTests {
  @Test func megabytesEchoWhole() async throws {
    let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let echoed: [UInt8] = try await onLoop { loop, report in
      let listener = listen(on: loop) { _, recorder in
        recorder.onRead = { transport, recorder in
          transport.write(recorder.received)
          recorder.received = []
        }
      }
      guard let listener else { return report([]) }
      let client = Recorder()
      let transport = SocketTransport.connect(
        loop: loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(5))
      transport.delegate = client
      client.onConnect = { $0.write(sent) }
      client.onRead = { transport, recorder in
        guard recorder.received.count >= sent.count else { return }
        transport.abort()
        listener.close()
        report(client.received)
      }
      client.transport = transport
    }
    let isWhole = echoed == sent
    #expect(isWhole)
  }

  /// A peer that answers and resets the connection has answered, whether the reset is met by reading or by
  /// writing.
  @Test(arguments: [false, true]) func whatCameBeforeAResetIsHandedOver(writes: Bool) async throws {
    let received: [UInt8] = try await onLoop { loop, report in
      guard let server = RawServer() else { return report([]) }
      let client = Recorder()
      let transport = SocketTransport.connect(
        loop: loop, host: "127.0.0.1", port: server.port, timeout: .seconds(5))
      transport.delegate = client
      client.onConnect = { transport in
        server.answerAndReset(Array("answer".utf8))
        if writes { transport.write([1, 2, 3]) }
      }
      client.onClose = { error in
        #expect(error != nil)
        report(client.received)
        client.transport = nil
      }
      client.transport = transport
    }
    #expect(received == Array("answer".utf8))
  }

  @Test func closeSendsEverythingFirst() async throws {
    let received: Int = try await onLoop { loop, report in
      let listener = listen(on: loop) { _, recorder in
        recorder.onConnect = { transport in
          transport.write([UInt8](repeating: 7, count: 2_000_000))
          transport.close()
        }
      }
      guard let listener else { return report(-1) }
      let client = Recorder()
      client.transport = SocketTransport.connect(
        loop: loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(5))
      client.transport?.delegate = client
      client.onClose = { _ in report(-2) }
      client.onEOF = { transport in
        client.onClose = { _ in }
        transport.close()
        listener.close()
        report(client.received.count)
      }
    }
    #expect(received == 2_000_000)
  }

  /// A chroot may have no /etc/hosts.
  private static var hasLocalhost: Bool {
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo("localhost", nil, nil, &list) == 0 else { return false }
    freeaddrinfo(list)
    return true
  }

  @Test(.enabled(if: hasLocalhost)) func aHostNameIsResolved() async throws {
    let isConnected: Bool = try await onLoop { loop, report in
      guard let listener = listen(on: loop, { _, _ in }) else { return report(false) }
      let client = Recorder()
      client.transport = SocketTransport.connect(
        loop: loop, host: "localhost", port: listener.localAddress.port, timeout: .seconds(5))
      client.transport?.delegate = client
      client.onClose = { _ in report(false) }
      client.onConnect = { transport in
        client.onClose = { _ in client.transport = nil }
        transport.abort()
        listener.close()
        report(true)
      }
    }
    #expect(isConnected)
  }

  @Test func pausedReadingDeliversNothingUntilResumed() async throws {
    let log: [String] = try await onLoop { loop, report in
      let log = Box<[String]>([])
      let listener = listen(on: loop) { transport, recorder in
        recorder.onConnect = { transport in
          transport.pauseReading()
          loop.schedule(after: .milliseconds(30)) {
            log.value.append("resume")
            transport.resumeReading()
          }
        }
        recorder.onRead = { transport, _ in
          log.value.append("read")
          transport.close()
          report(log.value)
        }
      }
      guard let listener else { return report([]) }
      let client = Recorder()
      client.transport = SocketTransport.connect(
        loop: loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(5))
      client.transport?.delegate = client
      client.onConnect = { $0.write(Array("hello".utf8)) }
      client.onClose = { _ in client.transport = nil }
    }
    #expect(log == ["resume", "read"])
  }

  @Test func aRefusedConnectionNamesTheAddress() async throws {
    let error: TransportError? = try await onLoop { loop, report in
      // A port that was free a moment ago.
      guard let address = SocketAddress(ip: "127.0.0.1", port: 0),
        let listener = try? Listener(loop: loop, address: address)
      else { return report(nil) }
      let port = listener.localAddress.port
      listener.close()
      let client = Recorder()
      client.transport = SocketTransport.connect(
        loop: loop, host: "127.0.0.1", port: port, timeout: .seconds(5))
      client.transport?.delegate = client
      client.onClose = { error in
        client.transport = nil
        report(error)
      }
    }
    guard case .connectFailed(let address, let reason) = error else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(address.hasPrefix("127.0.0.1:"))
    #expect(reason == "Connection refused")
  }

  @Test func aHostWithoutAddressIsAResolveError() async throws {
    let error: TransportError? = try await onLoop { loop, report in
      let client = Recorder()
      client.transport = SocketTransport.connect(
        loop: loop, host: "no-such-host.invalid", port: 1, timeout: .seconds(20))
      client.transport?.delegate = client
      client.onClose = { error in
        client.transport = nil
        report(error)
      }
    }
    guard case .resolveFailed(let host, _) = error else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(host == "no-such-host.invalid")
  }

  @Test func addressesPrintAsOneTypesThem() {
    #expect(SocketAddress(ip: "127.0.0.1", port: 80)?.description == "127.0.0.1:80")
    #expect(SocketAddress(ip: "::1", port: 443)?.description == "[::1]:443")
    #expect(SocketAddress(ip: "localhost", port: 1) == nil)
  }
}

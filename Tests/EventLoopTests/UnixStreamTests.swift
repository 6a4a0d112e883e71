import EventLoop
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct UnixStreamTests {
  private let address = "@pushbox-test-\(getpid())-\(UInt64.random(in: 0...(.max)))"

  @Test func anAnswerLongerThanTheSocketsBufferArrivesWhole() throws {
    let thread = try LoopThread(name: "listener")
    defer { thread.stopAndJoin() }
    let answer = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
    let listener = Rendezvous<LoopBound<UnixListener>?>()
    thread.loop.execute { [loop = thread.loop, address] in
      let made = try? UnixListener(loop: loop, address: address) { stream in
        stream.send(answer, timeout: .seconds(20))
      }
      listener.give(made.map { LoopBound($0, loop: loop) })
    }
    let made = try #require(listener.wait())
    for _ in 0..<2 {
      guard let stream = UnixStream.connect(to: address) else {
        Issue.record("nobody listens")
        return
      }
      #expect(stream.peer.processID == getpid())
      #expect(stream.peer.userID == geteuid() && stream.peer.groupID == getegid())
      let received = stream.receiveAll(limit: 2_000_000, timeout: .seconds(20))
      let isWhole = received == answer
      #expect(isWhole)
    }
    let tooLong = UnixStream.connect(to: address)?.receiveAll(limit: 1000, timeout: .seconds(20))
    #expect(tooLong == nil)
    #expect(throws: SystemError.self) {
      _ = try UnixListener(loop: try EventLoop(), address: address) { _ in }
    }
    let closed = Rendezvous<Bool>()
    thread.loop.execute {
      made.value.close()
      closed.give(true)
    }
    _ = closed.wait()
    let isClosed = UnixStream.connect(to: address) == nil
    #expect(isClosed)
  }

  @Test func whoNeverAnswersIsGivenUp() throws {
    // Never run, so nothing is accepted.
    let loop = try EventLoop()
    let listener = try UnixListener(loop: loop, address: address) { _ in }
    let stream = UnixStream.connect(to: address)
    let isConnected = stream != nil
    let answer = stream?.receiveAll(limit: 10, timeout: .milliseconds(20))
    #expect(isConnected && answer == nil)
    listener.close()
  }
}

import EventLoop
import TestSupport
import Testing

@testable import Service

@Suite(.ownThread, .timeLimit(.minutes(10))) struct SuspectLaneTests {
  @Test func onePieceAtATimeWithAPauseInOrderUpToItsCapacity() throws {
    let loop = try EventLoop()
    let lane = SuspectLane(loop: loop)
    let count = SuspectLane.capacity
    var done: [Int] = []
    let start = MonotonicTime.now()
    for index in 0..<count {
      let isTaken = lane.add {
        done.append(index)
        if index == count - 1 { loop.stop() }
      }
      #expect(isTaken)
    }
    let isTaken = lane.add {}
    #expect(!isTaken)
    loop.run()
    let elapsed = MonotonicTime.now() - start
    let isInOrder = done == Array(0..<count)
    #expect(isInOrder)
    #expect(elapsed >= SuspectLane.pause * count)
    // There is room again.
    let isTakenAgain = lane.add { loop.stop() }
    #expect(isTakenAgain)
    loop.run()
  }
}

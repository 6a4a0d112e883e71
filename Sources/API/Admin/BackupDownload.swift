import Bytes
import EventLoop
import Glibc
import HTTP
import Store

/// Sends a copy of the registrations as the store writes it, no faster than it is taken: nothing of it is kept on the
/// disk or, but for some hundred KiB, in memory. One thread writes the copy into a pipe, another carries it to the loop.
final class BackupDownload {
  private static let chunkByteCount = 65_536
  private static let highWater = 262_144

  let body = HTTPBodyStream()
  private let store: Store
  private let loop: EventLoop
  private var completion: ((String?) -> Void)?
  /// Waits for the peer to take what it was sent.
  private var credit: Rendezvous<Bool>?

  /// - Parameter completion: called once on the loop, with what went wrong.
  init(store: Store, loop: EventLoop, _ completion: @escaping (String?) -> Void) {
    self.store = store
    self.loop = loop
    self.completion = completion
  }

  /// Begins to copy, before the response begins; what keeps it from it, if anything.
  func start() -> String? {
    var ends: [Int32] = [-1, -1]
    guard pipeCloseOnExec(&ends) else { return fail("\(SystemError(call: "pipe"))") }
    let (readEnd, writeEnd, store) = (ends[0], ends[1], self.store)
    let bound = LoopBound(self, loop: loop)
    let copied = Rendezvous<String?>()
    do throws(SystemError) {
      try SystemThread(name: "backup-send") {
        Self.carry(readEnd, bound)
        // The writer notices, when it has more.
        close(readEnd)
        let problem = copied.wait()
        bound.run { $0.finish(problem) }
      }.detach()
    } catch {
      close(readEnd)
      close(writeEnd)
      return fail("\(error)")
    }
    do throws(SystemError) {
      try SystemThread(name: "backup-copy") {
        do throws(StoreError) {
          try store.writeRegistrations(to: writeEnd)
          copied.give(nil)
        } catch {
          copied.give("\(error)")
        }
        close(writeEnd)
      }.detach()
    } catch {
      // With these the other thread ends.
      copied.give("\(error)")
      close(writeEnd)
      return fail("\(error)")
    }
    body.onDrain = { [self] in give(true) }
    body.onClose = { [self] in
      give(false)
      end("the download was broken off")
    }
    return nil
  }

  private func fail(_ problem: String) -> String {
    end(problem)
    return problem
  }

  /// Until the end of the copy, or until nobody wants it any more.
  private static func carry(_ readEnd: Int32, _ download: LoopBound<BackupDownload>) {
    var chunk = [UInt8](repeating: 0, count: chunkByteCount)
    while true {
      let count = read(readEnd, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      let bytes = Array(chunk.prefix(count))
      let credit = Rendezvous<Bool>()
      download.run { $0.send(bytes, credit) }
      guard credit.wait() else { return }
    }
  }

  private func send(_ bytes: [UInt8], _ credit: Rendezvous<Bool>) {
    guard body.isOpen else { return credit.give(false) }
    body.write(bytes)
    if body.pendingBytes < Self.highWater { credit.give(true) } else { self.credit = credit }
  }

  private func give(_ goesOn: Bool) {
    credit?.give(goesOn)
    credit = nil
  }

  private func finish(_ problem: String?) {
    if problem == nil { body.finish() } else { body.breakOff() }
    end(problem)
  }

  private func end(_ problem: String?) {
    let completion = self.completion
    self.completion = nil
    completion?(problem)
  }
}

/// Both ends closed on exec.
private func pipeCloseOnExec(_ ends: inout [Int32]) -> Bool {
  guard pipe(&ends) == 0 else { return false }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return true
}

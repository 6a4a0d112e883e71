import EventLoop

/// A worker with the thread that its loop runs on.
struct WorkerThread: Sendable {
  private let thread: LoopThread
  private let worker: LoopBound<Worker>

  /// Starts the thread and makes the worker on it.
  init(index: Int, _ blueprint: WorkerBlueprint, _ settings: LiveSettings) throws(ServerError) {
    do throws(SystemError) {
      thread = try LoopThread(name: "worker-\(index)")
    } catch {
      throw ServerError("cannot start worker \(index): \(error)")
    }
    let loop = thread.loop
    let result: Result<LoopBound<Worker>, ServerError> = loop.runAndWait {
      do throws(ServerError) {
        return .success(LoopBound(try Worker(blueprint, settings, loop: loop), loop: loop))
      } catch {
        return .failure(error)
      }
    }
    worker = try result.get()
  }

  var loop: EventLoop { thread.loop }

  /// Runs `work` on the worker's loop and waits for what it gives. Not from a worker's loop.
  func call<Value: Sendable>(_ work: @escaping @Sendable (Worker) -> Value) -> Value {
    worker.loop.runAndWait { [worker] in work(worker.value) }
  }

  /// Begins to stop the worker; the rendezvous has a value when it is done.
  func stop(grace: Duration) -> Rendezvous<Bool> {
    let done = Rendezvous<Bool>()
    worker.run { $0.stop(grace: grace) { done.give(true) } }
    return done
  }

  func stopAndJoin() {
    thread.stopAndJoin()
  }
}

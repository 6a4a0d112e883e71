/// Carries a loop-owned value through code that runs on other threads. Only the loop may open it.
public struct LoopBound<Value>: @unchecked Sendable {
  // Safe to share: `value` checks that the caller is on the loop that owns it.
  private let content: Value
  /// The owner.
  public let loop: EventLoop

  public init(_ value: Value, loop: EventLoop) {
    content = value
    self.loop = loop
  }

  /// The value. Stops the process when read off the loop: that would be a data race in our own code.
  public var value: Value {
    precondition(loop.isInLoop, "a loop's value was opened off its loop")
    return content
  }

  /// Runs `work` with the value on its loop; at once when already there.
  public func run(_ work: @escaping @Sendable (Value) -> Void) {
    if loop.isInLoop {
      work(content)
    } else {
      loop.execute { [self] in work(content) }
    }
  }
}

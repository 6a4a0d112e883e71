extension SocketTransport {
  /// Closing a socket with unread input makes the kernel send a reset, which can take our last answer
  /// from the peer. So shut our side, and read on for a moment.
  func beginLinger() {
    socket?.endWriting()
    if readEnded || !loop.lingerPlaces.take() { return finish(nil) }
    phase = .lingering
    updateInterest()
    phaseTimer = loop.schedule(after: .seconds(1)) { [weak self] in self?.finish(nil) }
    let delegate = self.delegate
    self.delegate = nil
    delegate?.transport(self, didCloseWith: nil)
  }

  func discardInput() {
    switch socket?.discard(into: loop.readBuffer) {
    case .done(let count)?:
      lingerBytes += count
      if lingerBytes > 1_048_576 { finish(nil) }
    case .wantRead?: break
    default: finish(nil)
    }
  }
}

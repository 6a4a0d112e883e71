/// A transport over a TCP socket, plain or through a layer such as TLS.
///
/// The loop keeps it alive while its socket is watched.
public final class SocketTransport: Transport, IOHandler, TurnEndAction {
  /// Makes the layer for a connected socket; nil means plain TCP. The descriptor stays the transport's.
  public typealias LayerFactory = (Int32) -> Result<any TransportLayer, TransportError>

  enum Phase {
    case connecting, handshaking, open
    /// Closed by us; what is pending still goes out.
    case flushing
    /// Our side is shut; reading on until the peer has seen everything.
    case lingering
    case closed
  }

  public weak var delegate: (any TransportDelegate)?
  public internal(set) var remoteAddress: SocketAddress?
  public var negotiatedProtocol: String? { socket?.layer?.negotiatedProtocol }
  public var pendingWriteBytes: Int { output.count }

  let loop: EventLoop
  var phase = Phase.connecting
  /// What brings the socket.
  var opening: (any TransportOpening)?
  /// Bounds the layer's handshake of an outgoing connection.
  var handshakeTimeout: Duration?
  /// Guards the connect and the handshake, later the linger.
  var phaseTimer: Timer?
  private let makeLayer: LayerFactory?
  /// nil before it is connected and after the end.
  private(set) var socket: LayeredSocket?
  private var registration: EventLoop.Registration?
  private var interest: IOEvents = []
  private var output = OutputQueue()
  private var flushScheduled = false
  private var readPaused = false
  private(set) var readEnded = false
  /// TLS may need the opposite direction to go on.
  private var layerWantsWrite = false
  private var writeBlocked = false
  /// Input that was dropped while lingering.
  var lingerBytes = 0
  private var reading = false

  init(loop: EventLoop, makeLayer: LayerFactory?) {
    self.loop = loop
    self.makeLayer = makeLayer
  }

  /// Wraps an accepted connection; nothing happens until `start`.
  public convenience init(
    loop: EventLoop, accepted socket: consuming Socket, from address: SocketAddress,
    makeLayer: LayerFactory? = nil
  ) {
    self.init(loop: loop, makeLayer: makeLayer)
    self.socket = LayeredSocket(owning: socket.release())
    remoteAddress = address
  }

  /// Begins with an accepted connection; the delegate hears of the end of the handshake.
  ///
  /// - Parameter handshakeTimeout: bounds the layer's handshake.
  public func start(handshakeTimeout: Duration) {
    guard let socket, phase == .connecting else { return }
    self.handshakeTimeout = handshakeTimeout
    begin(socket)
  }

  /// Goes on with a connected socket.
  func adopt(fd: Int32, address: SocketAddress) {
    let socket = LayeredSocket(owning: fd)
    self.socket = socket
    remoteAddress = address
    begin(socket)
  }

  private func begin(_ socket: LayeredSocket) {
    do throws(SystemError) {
      registration = try loop.addDescriptor(socket.descriptor, .readable, self)
      interest = .readable
    } catch {
      return finish(.lost(error.description))
    }
    guard let makeLayer else { return becomeOpen() }
    switch makeLayer(socket.descriptor) {
    case .failure(let error): finish(error)
    case .success(let layer):
      socket.layer = layer
      phase = .handshaking
      if let handshakeTimeout { armPhaseTimer(handshakeTimeout) }
      continueHandshake()
    }
  }

  func armPhaseTimer(_ timeout: Duration) {
    phaseTimer = loop.schedule(after: timeout) { [weak self] in
      guard let self else { return }
      self.finish(.handshakeTimedOut(address: self.remoteAddress?.description ?? "the peer"))
    }
  }

  private func continueHandshake() {
    guard let layer = socket?.layer else { return }
    switch layer.handshake() {
    case .done: becomeOpen()
    case .wantRead: layerWantsWrite = false
    case .wantWrite: layerWantsWrite = true
    case .endOfStream: return finish(.tls(.truncated))
    case .failed(let error): return finish(error)
    }
    updateInterest()
  }

  private func becomeOpen() {
    phaseTimer?.cancel()
    phaseTimer = nil
    layerWantsWrite = false
    phase = .open
    delegate?.transportDidConnect(self)
    // The last handshake flight may have brought data along.
    if hasLayer, phase == .open { readReady() }
  }

  private var hasLayer: Bool { socket?.layer != nil }

  // MARK: Readiness

  func ioReady(_ events: IOEvents) {
    switch phase {
    case .handshaking: return continueHandshake()
    case .connecting, .closed: return
    case .lingering: return discardInput()
    case .open, .flushing: break
    }
    if events.contains(.error) {
      takeLastInput()
      return finish(.lost(SystemError.text(socket?.pendingError ?? 0)))
    }
    if events.contains(.writable) || writeBlocked { flush() }
    guard phase == .open || phase == .flushing else { return }
    if events.contains(.readable) || (events.contains(.writable) && hasLayer) {
      readReady()
    } else if events.contains(.hangUp) {
      finish(.lost("the peer hung up"))
    }
  }

  private func readReady() {
    guard !reading else { return }
    reading = true
    defer { reading = false }
    // A few rounds for a layer that holds bytes back; the rest waits for a later turn, to be fair.
    var rounds = hasLayer ? 16 : 1
    while rounds > 0, !readPaused, !readEnded, phase == .open {
      rounds -= 1
      switch readSome() {
      case .done(let count):
        let bytes = UnsafeBufferPointer(rebasing: loop.readBuffer[..<count])
        delegate?.transport(self, didRead: Span(_unsafeElements: bytes))
        if rounds == 0, hasLayer { scheduleRead() }
      case .wantRead: rounds = 0
      case .wantWrite:
        layerWantsWrite = true
        rounds = 0
      case .endOfStream:
        readEnded = true
        delegate?.transportDidReadEOF(self)
      case .failed(let error): return finish(error)
      }
    }
    updateInterest()
  }

  /// Hands over what came before the connection broke. The kernel keeps it, and a peer that answers, closes and
  /// resets when we send more has answered all the same.
  private func takeLastInput() {
    guard !reading else { return }
    reading = true
    defer { reading = false }
    var rounds = 64
    while rounds > 0, !readPaused, !readEnded, phase == .open, case .done(let count) = readSome() {
      rounds -= 1
      let bytes = UnsafeBufferPointer(rebasing: loop.readBuffer[..<count])
      delegate?.transport(self, didRead: Span(_unsafeElements: bytes))
    }
  }

  /// Reads once into the loop's buffer.
  private func readSome() -> LayerResult { socket?.read(into: loop.readBuffer) ?? .endOfStream }

  /// A layer may hold bytes that the kernel no longer has, so epoll would not say so.
  private func scheduleRead() {
    loop.schedule(at: loop.now) { [weak self] in
      guard let self, self.phase == .open else { return }
      self.readReady()
    }
  }

  // MARK: Transport

  public func write(_ bytes: [UInt8]) {
    guard phase == .open, !bytes.isEmpty else { return }
    output.append(bytes)
    scheduleFlush()
  }

  public func pauseReading() {
    readPaused = true
    updateInterest()
  }

  public func resumeReading() {
    guard readPaused else { return }
    readPaused = false
    if hasLayer { scheduleRead() }
    updateInterest()
  }

  public func close() {
    switch phase {
    case .connecting, .handshaking: finish(nil)
    case .open:
      phase = .flushing
      updateInterest()
      scheduleFlush()
    case .flushing, .lingering, .closed: break
    }
  }

  public func abort() {
    guard phase != .closed else { return }
    socket?.resetAtClose()
    finish(nil)
  }

  private func scheduleFlush() {
    guard !flushScheduled else { return }
    flushScheduled = true
    loop.atTurnEnd(self)
  }

  public func turnWillEnd() {
    flushScheduled = false
    // Still blocked: epoll tells when there is room.
    if !writeBlocked { flush() }
  }

  private func flush() {
    guard phase == .open || phase == .flushing else { return }
    writeBlocked = false
    let hadOutput = !output.isEmpty
    while !output.isEmpty {
      switch output.withBytes({ socket?.write($0) ?? .endOfStream }) {
      case .done(let count): output.consume(count)
      case .wantRead, .wantWrite:
        writeBlocked = true
        return updateInterest()
      case .endOfStream: return finish(.lost("the peer closed the connection"))
      case .failed(let error):
        takeLastInput()
        return finish(error)
      }
    }
    if phase == .flushing { return beginLinger() }
    if hadOutput { delegate?.transportDidDrain(self) }
    updateInterest()
  }

  func updateInterest() {
    guard let registration, phase != .closed else { return }
    var wanted: IOEvents = []
    if !readEnded, wantsInput { wanted.insert(.readable) }
    if writeBlocked || layerWantsWrite { wanted.insert(.writable) }
    layerWantsWrite = layerWantsWrite && phase == .handshaking
    guard wanted != interest else { return }
    interest = wanted
    loop.changeInterest(registration, wanted)
  }

  /// While flushing nothing is read: to be told of input all the same would be to be told of it for ever.
  private var wantsInput: Bool {
    switch phase {
    case .handshaking, .lingering: true
    case .connecting, .open: !readPaused
    case .flushing, .closed: false
    }
  }

  // MARK: Ending

  func finish(_ error: TransportError?) {
    guard phase != .closed else { return }
    if phase == .lingering { loop.lingerPlaces.giveBack() }
    phase = .closed
    phaseTimer?.cancel()
    phaseTimer = nil
    opening?.cancel()
    opening = nil
    let delegate = self.delegate
    self.delegate = nil
    if let registration { loop.removeDescriptor(registration) }
    registration = nil
    socket = nil
    output.removeAll()
    delegate?.transport(self, didCloseWith: error)
  }
}

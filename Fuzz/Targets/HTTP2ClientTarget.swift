import HTTP

extension FuzzTarget {
  /// The client's end of an HTTP/2 connection against a gateway that sends anything.
  ///
  /// An input is a script. Its first byte says how many requests there are at the start. Then, again and
  /// again, one byte: from 0xF0 on something that the client does, below it a frame of the gateway's with
  /// that type (0x80 set: bytes that need not be a frame), so that mutations keep to whole frames.
  static let http2Client = FuzzTarget("HTTP2Client") { input in
    var script = FuzzInput(input)
    var run: HTTP2ClientRun
    do throws(HTTP2Error) {
      run = try HTTP2ClientRun()
    } catch {
      fatalError("no session: \(error)")
    }
    for _ in 0..<script.byte() % 16 { run.submit() }
    while !script.isAtEnd, !run.hasEnded { run.step(&script) }
    run.end()
  }
}

/// One session with the account of what it owes: each request ends once, after at most one response.
private struct HTTP2ClientRun {
  private let session: HTTP2ClientSession
  private(set) var hasEnded = false
  private var open: Set<Int32> = []
  private var answered: Set<Int32> = []
  private var lastStream: Int32 = -1
  private var submitted = 0
  private var closed = 0

  init() throws(HTTP2Error) {
    var configuration = HTTP2ClientSession.Configuration()
    configuration.maxBodyBytes = 2048
    configuration.maxHeaderListBytes = 1024
    session = try HTTP2ClientSession(configuration)
    _ = try session.nextOutput()
  }

  mutating func step(_ script: inout FuzzInput) {
    switch script.byte() {
    case 0xFF: submit()
    case 0xFE: flush(limit: 1 + Int(script.byte()))
    case 0xFD:
      let stream = Int32(script.byte()) * 2 + 1
      session.cancel(stream)
    case 0xFC:
      do throws(HTTP2Error) { try session.ping(UInt64(script.byte())) } catch { hasEnded = true }
    case 0xFB: session.shutdown()
    case let type where type >= 0x80 && type < 0xF0:
      receive(script.take(Int(type & 0x3F)))
    case let type:
      let flags = script.byte()
      // Streams that the client opened, most of the time.
      let stream = script.byte()
      let size = Int(script.byte())
      let payload = script.take(type == 0 ? size * 8 : size)
      let head: [UInt8] = [
        0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, stream >> 7, stream,
      ]
      receive(head + payload)
    }
    drain()
  }

  mutating func submit() {
    let request = HTTPRequest(
      method: "POST", path: "/3/device/\(submitted)", authority: "gateway.test", scheme: "https",
      fields: [HTTPField("apns-topic", "com.example.wallet")],
      body: [UInt8](repeating: 0x61, count: submitted % 5 * 9000))
    do throws(HTTP2Error) {
      let stream = try session.submit(request)
      promise(stream > lastStream, "stream \(stream) after \(lastStream)")
      lastStream = stream
      open.insert(stream)
      submitted += 1
    } catch {
      promise(error != .outOfMemory, "out of memory")
    }
  }

  private mutating func receive(_ bytes: [UInt8]) {
    do throws(HTTP2Error) {
      try session.receive(bytes.span)
    } catch {
      hasEnded = true
    }
  }

  private mutating func flush(limit: Int) {
    do throws(HTTP2Error) {
      let output = try session.nextOutput(limit: limit)
      promise(output.count <= limit + 16_393, "\(output.count) bytes where \(limit) were asked for")
    } catch {
      hasEnded = true
    }
  }

  private mutating func drain() {
    while let event = session.nextEvent() {
      switch event {
      case .response(let stream, let response):
        promise(open.contains(stream), "a response on stream \(stream), which is not open")
        promise(answered.insert(stream).inserted, "a second response on stream \(stream)")
        promise(response.body.count <= 2048, "a body over its limit")
        let fieldBytes = response.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        promise(fieldBytes <= 1024, "fields over their limit")
      case .streamClosed(let stream, let failure):
        promise(open.remove(stream) != nil, "stream \(stream) ended twice")
        promise(
          answered.contains(stream) == (failure == nil), "stream \(stream): \(String(describing: failure))")
        closed += 1
      case .goAway, .settings, .pingAcknowledged:
        break
      }
    }
    promise(closed + open.count == submitted, "\(submitted) requests, \(closed) ended, \(open.count) open")
  }

  /// What the connection does after an error or at the end: the rest of the output, and no more.
  mutating func end() {
    drain()
    for _ in 0..<64 {
      let before = hasEnded
      flush(limit: 65_536)
      if hasEnded != before { break }
    }
    drain()
  }
}

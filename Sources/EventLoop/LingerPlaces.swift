/// The places a loop has for lingering sockets. Their owners take them for closed and count them no more, so nothing
/// else bounds them.
struct LingerPlaces {
  var limit = 256
  private(set) var taken = 0

  /// False when all are taken.
  mutating func take() -> Bool {
    guard taken < limit else { return false }
    taken += 1
    return true
  }

  mutating func giveBack() {
    taken -= 1
  }
}

extension EventLoop {
  /// How many sockets may linger at once: closed by us, and read from for a second so that our last bytes arrive.
  /// One more is closed at once. Loop thread only.
  public var maximumLingering: Int {
    get { lingerPlaces.limit }
    set { lingerPlaces.limit = newValue }
  }

  /// Sockets that linger. Loop thread only.
  public var lingeringSockets: Int { lingerPlaces.taken }
}

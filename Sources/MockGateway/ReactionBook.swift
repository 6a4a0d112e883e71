import Bytes

/// The reactions in force, set from any thread and looked up for each request.
final class ReactionBook: Sendable {
  private struct Entry {
    /// Used up first, in order.
    var next: [(reaction: MockGateway.Reaction, remaining: Int)] = []
    var standing: MockGateway.Reaction?

    mutating func take() -> MockGateway.Reaction? {
      guard let first = next.first else { return standing }
      if first.remaining > 1 {
        next[0].remaining -= 1
      } else {
        next.removeFirst()
      }
      return first.reaction
    }

    var isEmpty: Bool { next.isEmpty && standing == nil }
  }

  private struct ServiceEntries {
    var anyDevice = Entry()
    var devices: [String: Entry] = [:]

    mutating func change(_ token: String?, _ body: (inout Entry) -> Void) {
      guard let token else { return body(&anyDevice) }
      body(&devices[token, default: Entry()])
      if devices[token]?.isEmpty == true { devices[token] = nil }
    }
  }

  private let entries = Locked(
    [ServiceEntries](repeating: ServiceEntries(), count: MockGateway.Service.allCases.count))

  func setStanding(
    _ reaction: MockGateway.Reaction?, _ service: MockGateway.Service, deviceToken: String?
  ) {
    let token = Self.key(service, deviceToken)
    entries.withLock { entries in
      entries[service.rawValue].change(token) { entry in
        entry.next = []
        entry.standing = reaction
      }
    }
  }

  func addNext(
    _ count: Int, _ reaction: MockGateway.Reaction, _ service: MockGateway.Service, deviceToken: String?
  ) {
    guard count > 0 else { return }
    let token = Self.key(service, deviceToken)
    entries.withLock { $0[service.rawValue].change(token) { $0.next.append((reaction, count)) } }
  }

  func clear() {
    entries.withLock { entries in
      for index in entries.indices { entries[index] = ServiceEntries() }
    }
  }

  /// The reaction to a request for `deviceToken` (as a service gives it); nil to serve it. One for the
  /// device goes before one for all.
  func take(_ service: MockGateway.Service, deviceToken: String?) -> MockGateway.Reaction? {
    entries.withLock { entries in
      if let deviceToken, !entries[service.rawValue].devices.isEmpty {
        var taken: MockGateway.Reaction?
        if entries[service.rawValue].devices[deviceToken] != nil {
          entries[service.rawValue].change(deviceToken) { taken = $0.take() }
        }
        if let taken { return taken }
      }
      return entries[service.rawValue].anyDevice.take()
    }
  }

  /// APNs' tokens are hex, whose case means nothing.
  private static func key(_ service: MockGateway.Service, _ deviceToken: String?) -> String? {
    service.isAPNs ? deviceToken?.lowercased() : deviceToken
  }
}

import Bytes

/// Addresses of host names, asked for anew when they are a minute old: `getaddrinfo` does not tell how long an
/// answer is good for, and gateways change theirs within minutes. One look-up a name at a time; when it fails,
/// the last answer serves on for a while. Any thread.
public final class ResolverCache: Sendable {
  public typealias Answer = Result<[SocketAddress], TransportError>
  typealias LookUp = @Sendable (_ host: String, _ port: UInt16) -> Answer

  /// What connections of this process use.
  public static let shared = ResolverCache()

  /// Age at which an answer is asked for anew.
  static let lifetime = Duration.seconds(60)
  /// Age up to which an answer serves when the resolver fails.
  static let staleLifetime = Duration.seconds(3600)
  /// Names are few (gateways, a proxy); should they be many, all are forgotten.
  private static let capacity = 256

  private struct Key: Hashable {
    let host: String
    let port: UInt16
  }
  private struct Waiter {
    let loop: EventLoop
    let completion: @Sendable (Answer) -> Void
  }
  private struct Entry {
    var addresses: [SocketAddress] = []
    var answered: MonotonicTime?
    var isForgotten = false
    var waiters: [Waiter] = []
  }

  private let lookUp: LookUp
  private let clock: @Sendable () -> MonotonicTime
  private let entries = Locked<[Key: Entry]>([:])

  /// - Parameter lookUp: blocks; called on a thread of its own.
  init(
    clock: @escaping @Sendable () -> MonotonicTime = { .now() },
    lookUp: @escaping LookUp = { Resolver.lookUp(host: $0, port: $1) }
  ) {
    self.clock = clock
    self.lookUp = lookUp
  }

  /// Resolves `host` and calls `completion` on `loop`, on which this is called, in the order to try. Numeric
  /// addresses and known names complete within this call.
  func resolve(
    host: String, port: UInt16, on loop: EventLoop, _ completion: @escaping @Sendable (Answer) -> Void
  ) {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    if let address = SocketAddress(ip: bare, port: port) { return completion(.success([address])) }
    let key = Key(host: bare, port: port)
    let now = clock()
    var isDue = false
    let known: [SocketAddress]? = entries.withLock { entries in
      if entries[key] == nil, entries.count >= Self.capacity {
        entries = entries.filter { !$0.value.waiters.isEmpty }
      }
      var entry = entries[key] ?? Entry()
      if let answered = entry.answered, !entry.isForgotten, now - answered < Self.lifetime {
        return entry.addresses
      }
      isDue = entry.waiters.isEmpty
      entry.waiters.append(Waiter(loop: loop, completion: completion))
      entries[key] = entry
      return nil
    }
    if let known { return completion(.success(known)) }
    if isDue { begin(key) }
  }

  /// The addresses do not serve: the next connection asks anew.
  func forget(host: String, port: UInt16) {
    entries.withLock { $0[Key(host: host, port: port)]?.isForgotten = true }
  }

  private func begin(_ key: Key) {
    do throws(SystemError) {
      let thread = try SystemThread(name: "resolver") { self.finish(key, self.lookUp(key.host, key.port)) }
      thread.detach()
    } catch {
      finish(key, .failure(.resolveFailed(host: key.host, reason: error.description)))
    }
  }

  private func finish(_ key: Key, _ answer: Answer) {
    let now = clock()
    let (result, waiters): (Answer, [Waiter]) = entries.withLock { entries in
      var entry = entries[key] ?? Entry()
      let waiters = entry.waiters
      entry.waiters = []
      var result = answer
      switch answer {
      case .success(let addresses):
        entry.addresses = addresses
        entry.answered = now
        entry.isForgotten = false
      case .failure:
        if let answered = entry.answered, now - answered < Self.staleLifetime {
          result = .success(entry.addresses)
        }
      }
      entries[key] = entry.answered == nil ? nil : entry
      return (result, waiters)
    }
    for waiter in waiters { waiter.loop.execute { waiter.completion(result) } }
  }
}

import EventLoop
import Glibc
import JSON
import MockGateway
import MockRelay
import TestSupport
import Testing

/// What became of a push to a fresh client: the relay's answer, the registration, the gateway's state.
struct Aftermath: Equatable {
  var status: Int
  var name: String?
  var isTombstoned: Bool
  var state: String
}

extension Appliance {
  func state(_ kind: String) throws -> String {
    let status = try client().send("GET", "/status")
    return status.json?["gateways"]?[kind]?.stringValue ?? "?"
  }

  func tombstones() throws -> UInt64 {
    let status = try client().send("GET", "/status")
    return status.json?["registrations"]?["tombstoned"]?.uint64Value ?? .max
  }

  static func service(_ kind: String) -> MockGateway.Service { kind == "fcm" ? .fcm : .apnsProduction }

  /// A new client with a token of `kind`.
  func registered(kind: String) throws -> MockWallet {
    try registered(type: kind, token: kind == "fcm" ? Self.fcmToken() : Self.apnsToken())
  }

  /// Pushes once to a new client while `reaction` is in force for its device.
  func aftermath(
    _ reaction: MockGateway.Reaction, kind: String = "apns"
  ) throws -> Aftermath {
    let token = kind == "fcm" ? Self.fcmToken() : Self.apnsToken()
    let service = Self.service(kind)
    let wallet = try registered(type: kind, token: token)
    let before = try tombstones()
    gateway.always(reaction, at: service, deviceToken: token)
    let response = try push(wallet.clientID, Self.raw("m"))
    gateway.serveNormally(at: service, deviceToken: token)
    return Aftermath(
      status: response.status, name: response.errorName, isTombstoned: try tombstones() > before,
      state: try state(kind))
  }

  /// Pushes as a relay would, again and again, until one is accepted; false when none was `within` that time.
  func pushesUntilAccepted(_ wallet: MockWallet, within limit: Duration) throws -> Bool {
    let client = client()
    let deadline = MonotonicTime.now() + limit
    while MonotonicTime.now() < deadline {
      if try push(wallet.clientID, Self.raw("again"), over: client).status == 202 { return true }
    }
    return false
  }

  /// A push that goes through, so that the next case begins with a gateway that is well. On a slow machine the faults
  /// may have lasted long enough for the circuit breaker to open: then the relay's retries are needed.
  func recover(kind: String = "apns") throws {
    let wallet = try registered(kind: kind)
    #expect(try pushesUntilAccepted(wallet, within: .seconds(15)))
    #expect(try state(kind) == "ok")
  }
}

/// Work on a thread of its own, whose result is waited for.
struct Offloaded<Value: Sendable> {
  private let result = Rendezvous<Result<Value, any Error>>()

  init(_ body: @escaping @Sendable () throws -> Value) throws {
    let result = self.result
    try SystemThread(name: "background") { result.give(Result { try body() }) }.detach()
  }

  func value() throws -> Value { try result.wait().get() }
}

import Bytes
import Configuration
import Crypto
import EventLoop
import Gateways
import Glibc
import HTTP
import Store
import TLS
import Telemetry

/// The relay's key where the configuration says "fetch": asked for at the first start, then kept in the store.
///
/// A key that was fetched again and again would be whatever the network says at the time. One that changes is
/// reported and not taken: that is for an operator to judge.
struct RelayKeyPin {
  private static let timeout = Duration.seconds(15)

  private let url: HTTPURL
  private let outbound: Configuration.Outbound
  private let store: Store
  private let log: Log

  /// The keys to verify with. Blocks while it fetches one.
  static func keys(
    _ configuration: Configuration, _ credentials: Credentials, store: Store, log: Log
  ) throws(ServerError) -> [[UInt8]] {
    guard case .fetch(let url) = configuration.relay.publicKey else { return credentials.relayPublicKeys }
    let pin = RelayKeyPin(url: url, outbound: configuration.outbound, store: store, log: log)
    if let key = try pin.load() {
      pin.reportChange(from: key)
      return [key]
    }
    let key = try fetch(url, configuration.outbound)
    try pin.save(key)
    log.info(
      "the relay's public key was fetched and is kept from now on",
      ["url": .string(url.text), "key": .string(Hex.encode(key))])
    return [key]
  }

  // MARK: The store

  /// Another URL is another relay.
  private var name: String { "relay-public-key/" + Hex.encode(SHA256.hash(Array(url.text.utf8)).prefix(16)) }

  private func load() throws(ServerError) -> [UInt8]? {
    do throws(StoreError) {
      return try store.makeReader().setting(name)
    } catch {
      throw ServerError("relay.public_key: the key that was fetched before cannot be read: \(error)")
    }
  }

  private func save(_ key: [UInt8]) throws(ServerError) {
    let written = Rendezvous<Result<Void, StoreError>>()
    store.setSetting(name, to: key) { written.give($0) }
    if case .failure(let error) = written.wait() {
      throw ServerError("relay.public_key: the key that was fetched cannot be kept: \(error)")
    }
  }

  /// Asks once more, on a thread of its own that nothing waits for.
  private func reportChange(from key: [UInt8]) {
    let (url, outbound, log) = (url, outbound, log)
    let thread = try? SystemThread(name: "relay-key") {
      do throws(ServerError) {
        let now = try Self.fetch(url, outbound)
        guard now != key else { return }
        log.warning(
          "the relay gives another public key than at the first start, which goes on being trusted: if the "
            + "change is announced, list both keys in relay.public_key",
          [
            "url": .string(url.text), "kept": .string(Hex.encode(key)), "given": .string(Hex.encode(now)),
          ])
      } catch {
        log.info("the relay's public key could not be compared: \(error)")
      }
    }
    thread?.detach()
  }

  // MARK: The relay

  /// The key that the relay gives: 64 hexadecimal digits (WalletConnect specifications, push server
  /// authentication). Blocks for 15 s at most.
  static func fetch(_ url: HTTPURL, _ outbound: Configuration.Outbound) throws(ServerError) -> [UInt8] {
    let response = try get(url, outbound)
    let text = response.body.filter { $0 > 0x20 }
    guard response.status == 200, let key = Hex.decode(text.span), key.count == Ed25519PublicKey.byteCount
    else {
      throw failure(
        url, "it answered \(response.status) with \(response.body.count) bytes, not 64 hex digits")
    }
    do throws(CryptoError) {
      _ = try Ed25519PublicKey(rawBytes: key)
    } catch {
      throw failure(url, "\(error)")
    }
    return key
  }

  private static func get(
    _ url: HTTPURL, _ outbound: Configuration.Outbound
  ) throws(ServerError) -> HTTPResponse {
    var answer: Result<HTTPResponse, HTTP2ClientError>?
    do {
      let endpoint = try GatewayEndpoint(url: url.origin)
      let trust: TLSContext.Trust = outbound.caFile.map { .systemAnd(file: $0) } ?? .system
      let tls = try GatewayEndpoint.tlsContext(trust: trust)
      let loop = try EventLoop()
      loop.schedule(at: loop.now) {
        let client = endpoint.makeClient(
          loop: loop, tls: tls, proxy: outbound.proxy.map(GatewayFactory.proxy))
        let request = HTTPRequest(
          method: "GET", path: url.path.isEmpty ? "/" : url.path, authority: endpoint.authority,
          scheme: "https")
        client.send(request, deadline: loop.now + timeout) { result in
          answer = result
          client.shutdown { loop.stop() }
        }
      }
      loop.run()
    } catch {
      throw failure(url, "\(error)")
    }
    switch answer {
    case .success(let response): return response
    case .failure(let error): throw failure(url, "\(error)")
    case nil: throw failure(url, "no answer")
    }
  }

  private static func failure(_ url: HTTPURL, _ reason: String) -> ServerError {
    ServerError(
      "relay.public_key: cannot fetch the key from \(url.text): \(reason); try again, or put the key itself into "
        + "the configuration")
  }
}

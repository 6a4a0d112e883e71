import Crypto
import Relay
import Store

extension PushKey {
  /// The digest of a push to one registration: app, client, the registration's generation and message ID,
  /// so that the same message reaches each client, and a client that registers anew starts afresh.
  init(client: ClientKey, generation: UInt64, message: MessageID) {
    var input: [UInt8] = []
    input.reserveCapacity(192)
    input.append(contentsOf: client.appID.utf8)
    // None of the texts may contain a NUL, so the parts cannot run into each other.
    input.append(0)
    input.append(contentsOf: client.clientID.utf8)
    input.append(0)
    withUnsafeBytes(of: generation.bigEndian) { input.append(contentsOf: $0) }
    input.append(contentsOf: message.text.utf8)
    self.init(digest: SHA256.hash(input))
  }
}

import Crypto

extension MockGateway {
  /// Takes provider tokens of `key` too, under its ID, for the same team: Apple allows two keys at a time,
  /// so that one can be rotated.
  public func addAPNsKey(_ key: P256PrivateKey, id: String) throws(CryptoError) {
    let publicKey = try key.publicKey()
    _ = onLoop { $0.apnsVerifier.setKey(publicKey, id: id) }
  }

  /// Refuses tokens of the key from now on, as Apple does when it is revoked.
  public func revokeAPNsKey(id: String) {
    _ = onLoop { $0.apnsVerifier.setKey(nil, id: id) }
  }
}

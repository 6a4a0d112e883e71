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

  /// Takes assertions of `key` too, under its ID, for the same service account; the account's file with it.
  public func addServiceAccountKey(_ key: RSAPrivateKey, id: String) throws -> [UInt8] {
    let publicKey = try key.publicKey()
    let audience = onLoop { set -> String in
      set.oauth.setKey(publicKey, id: id)
      return set.oauth.audience
    }
    var account = credentials
    account.serviceAccountKey = key
    account.serviceAccountKeyID = id
    return try account.serviceAccountJSON(tokenURI: audience ?? "")
  }

  /// Refuses assertions of the key from now on. Access tokens that it brought go on, as Google's do.
  public func revokeServiceAccountKey(id: String) {
    _ = onLoop { $0.oauth.setKey(nil, id: id) }
  }
}

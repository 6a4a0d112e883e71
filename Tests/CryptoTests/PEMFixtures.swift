/// Keys made for these tests alone, in the forms that this module cannot write itself.
enum PEMFixtures {
  /// As `openssl ecparam -genkey` writes it: a parameters block, then SEC1.
  static let sec1WithParameters = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIDJjmfcLqDOw/jq6VxLaggEC72dsLSojy6VTCKbsuZNQoAoGCCqGSM49
    AwEHoUQDQgAElHem5hNn9QDeOfZfN6TfRghLF23Bd1/7zAf/PfdvWZ6jheHH2Kh3
    ehANTdDFUH1Aj6s4SYdD5sqyBjKjSQzxzA==
    -----END EC PRIVATE KEY-----
    """

  /// On the curve P-384.
  static let p384 = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB1e0Lc4lOXyyfgUAaV
    NT+kW+vBo9NqIt+Ow8V6lvTeV7U2ge6lH424jbKX4qQQYlihZANiAAQW6wIUhH8J
    VWKGhCeg6J/sShKnPNfWW9kmQWfoDrfFJawpSoac7REm55bNtllmJmOLB5J+o3Et
    5ktC7PkdpjZ34HydG6FRkZdKoYN0JYnGWkHc1nx3wZXxgg9HNi7sTdg=
    -----END PRIVATE KEY-----
    """

  /// An Ed25519 key.
  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIMn1+sktRSJv2rgUAcN5oR5waXuaAw5M4u0c8uHAztQu
    -----END PRIVATE KEY-----
    """

  /// SEC1 protected by a password.
  static let encryptedSEC1 = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,09C52C08509A6C427AA104D33B58B8F4

    KaMZn7NK4S/Coh+PQD5MkQg0SwOD+kt3APruncI2NEN5KQGieiCXKfce/g6DaeAZ
    0RGXWzIMuVvNTVaMrHmtX+3/5/bRmQIRzj5+C9D3i9OKfZ9HLBleBMNBE5B7LCqx
    S6J0VS5+7nGvRnFdgzz3k5Tl9oDWZWP9ckGrAdSLgUw=
    -----END EC PRIVATE KEY-----
    """

  /// PKCS#8 protected by a password.
  static let encryptedPKCS8 = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi+xQsfPu1ZXQICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMwxkZWKUTZWB7JZIMVicv0EgZCN
    Hg3Uxuv6Qk57B2qW46WP8+UYAhMSs0jxQnVmicv78Ys2oXNmrJkTpVVetifWDi6+
    gHn3Ekcjo1u6GEQwxiHgrzYnHRjuahQPQLCyjZr00e23aS9ZUxpr0nuBlkfgVNeq
    2ra0wbOszIwKSKoBrkBD8jrMLyC8OC6uOibWZdLKNTNPvwg3Mgy97IwECpkpw8E=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  /// Too short for RS256.
  static let rsa1024 = """
    -----BEGIN PRIVATE KEY-----
    MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBALevWeAPhfZHSZyh
    GDdotPfY/9TmUePyXXvj1rSevQlaU49+Uop3h2zqsS2w7zyJV0k7VyDVvyPvAruj
    CI+5S1YmLATHLV0BjvYv99HxRy+IfqsWOtjKGRSZ4aPw8hLUBEHakuSXhiXgxKOQ
    JyfV/MTQ8G51/kiQnFZV5nk5c9WxAgMBAAECgYAjkHb1U+wbGAhfpC09JS/MwR4f
    iYyXdui0wRNkG0v8kJmXMd0nZCc7ZmFxuE1Jykm1KyEegWQlv/QmglV5BmZYbr/a
    j7/27cQMKJvGkaaifMSCD4eZS/cjoqJsuMHGPbDthJV/DHtnmq4juh68pLYqeHg3
    vMbyPsz2crgo54bEtQJBAN8xiQo6kRqCda+C2AKLI/BL52yF68dBuGq4MPJvcZ/2
    zxw6xByKItTgjA9H3VV3/z8Xzd9CJK+w/NmU9+WeeiMCQQDSryn6G7fA0Vm7gqa+
    G9p13FFuet2lhfZTUHCwyU13xsVpAP+n/FASnUooUKOBP7Bks3DQiuSDoEswIB/e
    XHwbAkBYrp386nhtSBjqu9qIaDDHceFqRWwBqCNWhAkuywkivjZcyRzTGi/s1avR
    BoTzSNKqhxLN+sII7RIKgh5dpjJxAkAaBsmIvCPXDgWnxFwU4Bv8s1rb6xG2gPYN
    FMLXFAcd5NA+SIFMnz7FDek7UbrhHJ0N05z8JixUllizeUR2k7ZBAkAfTuUTLlqa
    poE5kjf9ib+zeiuiiNm2sDhI5AOvIdObYo87Jj+vXaaykHiz6ZHqTf11NsatQyDB
    AggdRnK93Ikk
    -----END PRIVATE KEY-----
    """
}

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

  /// An RSA key in PKCS#1, made by another library.
  static let rsaPKCS1 = """
    -----BEGIN RSA PRIVATE KEY-----
    MIIEogIBAAKCAQEAutIjjBkTM1J4+wWFB54lU9/4uEisemrzEvrrJJNR9+kaK+gu
    bMQ/PuNpArdqLajGu4QnUDOViBq7Hmc534AsbsNs9E8IYiMOzd2yXgW1WzomvQNN
    dUfNzvaN6TR5e8JnUR62VrDfa+U0Byvs8Nzjyad9C7VqZYsX4eVzrWa7euFQV0uB
    pTcb/dK1La1WfuOIAbyBOSCtbFtkfrAcrW2R/Wo/3Wn6/N36ZeLdGaei/ponsLf2
    t0z9PdIOdDMleFBKk2zpOTN9p61l6xx4jZd2s7+BfZLwgFb9WO7AVD3s4ftYeuBp
    p8ajjIaWg6idA0d7Jg2dOvP6zOSF85EL5HQ6+QIDAQABAoIBAEISsRzK/4XuvLf3
    B0oe7g/AjlxK46l2KtsDIGfyrJJUAHwX5Vd1fvLUhh6+VNCqOQM35ZmRbOjSn2xM
    0OSRleVku6OaUho3UPSRXJSxSydlJS9DPEFm8Eyq2ZzpgK+7HURM6us1KgekbCa/
    K9EyJmP7FxgthOA99efgeW2SAGugKrtMJuoGQPpM7qG2h3GZicfmWr1Wyklel6/a
    tn5kZ5fGBVh4tz3KgYAtu7Xy0sP7p1lqMcaPgNhCmRxNfCTfZUQHJ5cma55HgPUb
    Wu/F+o93soMHHE3FGIulZmFg8nCu+rJmOfabpZWBoJXpiGxkj1VdrKnBB69ETYLP
    RXgiC7sCgYEA4nFZSn+fWriSRgZFiM6YgyQzprSNboc4Sc+JDWI3OrSEwWqJGIVK
    zPzwAyd5ef25M4pUfDH3StB3oDMTqQuoU1yC+qv3BY8CzOC1EvSYPmkB2UAivTzn
    bLmcpQ5qwmgCBo3FIccKnCV8toHaG5GA+5BBIe1QyVkvujtAysfnXCMCgYEA0zTP
    75BnhzaeUhDpQFkUIMl/ewi90PAHT0CKc+00zk/MU8WkMQoFBerjHSVF1nJA7yVc
    ZwCDbygJh5CAFW8bjBClDNamfAJumayrYGqPdGdHDb/gA2hxNm8cc3TLYDlhOBD7
    DFwWEaDSfBiaBeB/tdUExU8na9TBnZn8sq4NoDMCgYACBJCPIWQCIvLqvNORzIV/
    ZaswKRu5iGrv/XFzNRTY6RLlxlVCaq2n9fkNjiR++cvUsb7e/HL/r6vhOZNLRldR
    ptlj8nRZEFUuDjKO4K8an0Ts8q1cklZdmanTrrU01khuVoUTL/rgOVVLKw0OgdVs
    aHSsILk/khPizPRe2jktkQKBgBfsEG1C/ubqwc3rym+WZ1g7WmwWFmHW/gz083mj
    8Wo40ZzfcvR2/RCphSXk9d8PO9macrfb8AckEsg/DrLezdD0ha1JlrvPDrXrP9IA
    39TAaeTdycK5DrGqrh9JqEty1FckXTsOJxXCEHUr2C44Ol7fDNZIW9+zzmZKbbvT
    SQnPAoGACnCysiDzv6rQIDmT2xeChXNLnsQpCYKlr2RkyKYWEgcYcOokLlGaEFC3
    6JZoWkpchLNwS4SBA8uL1jAqjbEJYcrg/t9Ec2lXlrjvXHzdLlSqhZL2TIP+Cosv
    oz0jhhaVd721+ZyY6PTZ85QY5xGpkF3NOzhmrQ1Rw0kGtP1RoTM=
    -----END RSA PRIVATE KEY-----
    """

  /// That library's RS256 signature of "header.claims" under `rsaPKCS1`, in base64.
  static let rsaSignature =
    "OAXzTOeztOsJU11qCdnxWI+MoLHsEJ6zQwjQ2s07Z49/gCTpHOJYb28/mDGH1R8IdVqVApr2RxUNYOmfqadNICda"
    + "Bp1cFAtbCLv1OvpAyse97hC/0sIJiIAbSWSEv78LAd4arLqoPN/MOj1zYyXAFERTOtYtedo30MY6oR2gn2TTJY+d"
    + "Nj+45N1nE4OV/j/f/gCaIfz++beOlV1EC5fKs3XtJDWKvJ8H/NA9z1HvwbgqEGE2tXOo+DoHbZ1Kh/roO9YpbC5V"
    + "YXGGXOxWHd+IRf+wRlxRfBawLjmNlM9kJK/+NXYMwSPNEPpncAf6hjc7uOzhLp3k0uT9zGBiuv/X/Q=="
}

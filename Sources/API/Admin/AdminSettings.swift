import Crypto

/// Who may use the admin page, and how.
public struct AdminSettings: Sendable {
  public var password: PasswordHash
  /// Seconds that a login lasts.
  public var sessionTTL: UInt64
  /// Whether browsers come by https, so that the cookie may ask for it.
  public var isSecure: Bool
  /// Whether the page has addresses of its own and is not served at the public ones.
  public var hasOwnAddress: Bool

  public init(password: PasswordHash, sessionTTL: UInt64, isSecure: Bool, hasOwnAddress: Bool) {
    self.password = password
    self.sessionTTL = sessionTTL
    self.isSecure = isSecure
    self.hasOwnAddress = hasOwnAddress
  }

  /// A cookie whose name begins so is taken by browsers only when it was set with Secure, for this host alone and for
  /// every path (RFC 6265bis, section 4.1.3.2).
  var cookieName: String { isSecure ? "__Host-pushbox_session" : "pushbox_session" }

  static let whereItIs = "It has an address of its own: `admin.listen` in the configuration."

  static let howToEnable =
    "Run `pushbox hash-password`, put its answer in the configuration as `password_hash` in a section `[admin]`, then "
    + "reload pushbox (`systemctl reload pushbox`)."
}

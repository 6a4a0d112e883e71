import Crypto
import EventLoop
import HTTP
import JSON

/// Signing in and out.
extension AdminRoutes {
  func respondSession(_ session: AdminSessions.Session?, cookie: String? = nil, _ call: Call) {
    var response = HTTPResponse.json(200, Self.json(session, howToEnable: nil, isElsewhere: false))
    if let cookie { response.fields.add("set-cookie", cookie) }
    call.respond(response)
  }

  /// - Parameter isElsewhere: whether the page is on, but at an address of its own.
  func respondDisabled(_ howToEnable: String, isElsewhere: Bool, _ call: Call) {
    call.respond(.json(200, Self.json(nil, howToEnable: howToEnable, isElsewhere: isElsewhere)))
  }

  private static func json(
    _ session: AdminSessions.Session?, howToEnable: String?, isElsewhere: Bool
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("enabled", howToEnable == nil)
    writer.member("elsewhere", isElsewhere)
    writer.member("signed_in", session != nil)
    writer.optional("csrf_token", session?.csrfToken)
    writer.optional("expires_at", session?.expiresAt)
    writer.optional("how_to_enable", howToEnable)
    writer.endObject()
    return writer.bytes
  }

  func login(_ body: AdminBody, _ settings: AdminSettings, _ call: Call) {
    let password: String
    do throws(AdminBodyError) {
      password = try body.password()
    } catch {
      return call.fail(error)
    }
    let shared = self.shared
    // Before anything is hashed: guessing must not cost us what it costs nobody else.
    let wait = shared.loginLock.withLock { $0.wait(call.address, now: shared.clock()) }
    if let seconds = wait ?? shared.service.limit(.login, call.address) {
      return call.fail(
        429, "locked_out", "too many tries from this address: wait \(seconds) s", retryAfter: seconds)
    }
    let isAdmitted = shared.usage.withLock { usage in
      guard usage.logins < AdminUsage.loginLimit else { return false }
      usage.logins += 1
      return true
    }
    guard isAdmitted else {
      return call.fail(429, "busy", "too many logins at a time", retryAfter: 1)
    }
    shared.hash(loop, { settings.password.matches(password) }) { [self] isRight in
      shared.usage.withLock { $0.logins -= 1 }
      finishLogin(isRight, settings, call)
    }
  }

  private func finishLogin(_ isRight: Bool, _ settings: AdminSettings, _ call: Call) {
    guard isRight else {
      shared.loginLock.withLock { $0.failed(call.address, now: shared.clock()) }
      shared.actions.note(.login, isGood: false, detail: "wrong password", by: call.address)
      return call.fail(401, "wrong_password", "the password is wrong")
    }
    guard self.settings?.password == settings.password else {
      return call.fail(401, "wrong_password", "the password was changed meanwhile")
    }
    shared.loginLock.withLock { $0.succeeded(call.address) }
    do throws(CryptoError) {
      let (id, session) = try shared.sessions.begin(ttl: settings.sessionTTL, now: shared.clock())
      shared.actions.note(.login, by: call.address)
      respondSession(session, cookie: Self.cookie(id, settings, maximumAge: settings.sessionTTL), call)
    } catch {
      call.fail(503, "session", "no session can be begun: \(error)", retryAfter: 5)
    }
  }

  func logout(_ cookie: String, _ settings: AdminSettings, _ call: Call) {
    shared.sessions.end(cookie)
    shared.actions.note(.logout, by: call.address)
    respondSession(nil, cookie: Self.cookie("", settings, maximumAge: 0), call)
  }

  private static func cookie(_ value: String, _ settings: AdminSettings, maximumAge: UInt64) -> String {
    "\(settings.cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(maximumAge)"
      + (settings.isSecure ? "; Secure" : "")
  }
}

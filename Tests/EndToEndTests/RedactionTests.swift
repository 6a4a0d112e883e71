import Bytes
import Crypto
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport
import Testing

/// Nothing that would let its reader push, register or log in comes out anywhere.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct RedactionTests {
  /// A text that must not come out, and what it is.
  private struct Secret {
    let name: String
    let text: String
  }

  /// Everything that came out, by where.
  private var outputs: [(place: String, bytes: [UInt8])] = []
  private var secrets: [Secret] = []

  private mutating func note(_ place: String, _ response: BlockingHTTPResponse) {
    let fields = response.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    outputs.append((place, Array((fields + "\n").utf8) + response.body))
  }

  private mutating func keep(_ name: String, _ text: String) {
    secrets.append(Secret(name: name, text: text))
  }

  /// The lines between the dashes of a PEM text.
  private mutating func keepKey(_ name: String, pem: String) {
    for line in pem.split(separator: "\n") where !line.hasPrefix("-") && line.utf8.count >= 32 {
      keep(name, String(line))
    }
  }

  @Test mutating func nothingSecretComesOut() throws {
    let appliance = try Appliance {
      $0.more = "[log]\nlevel = \"debug\""
      $0.store = "map_size = \"16MiB\""
    }
    let client = appliance.client()
    try scenario(appliance, client)
    try badConfigurations(appliance)
    for path in ["/metrics", "/status", "/health", "/ready", "/", "/nothing"] {
      note("GET \(path)", try client.send("GET", path))
    }
    for arguments in [["check"], ["config", "show"], ["check", "--json"], ["config", "show", "--json"]] {
      outputs.append((arguments.joined(separator: " "), Array(try appliance.command(arguments).text.utf8)))
    }
    #expect(appliance.end(SIGTERM) == 0)
    outputs.append(("the log", Array(appliance.log.utf8)))
    try state(appliance)
    judge(appliance)
  }

  private mutating func scenario(_ appliance: Appliance, _ client: BlockingHTTPClient) throws {
    let now = WallClock.seconds()
    let gateway = appliance.gateway
    keepKey("the APNs key", pem: gateway.apnsKeyPEM)
    let account = String(decoding: gateway.serviceAccountJSON, as: UTF8.self)
    for part in account.split(separator: "\\n") where part.utf8.count == 64 {
      keep("the FCM key", String(part))
    }
    let wallet = try MockWallet()
    for kind in ["apns", "apns-sandbox", "fcm"] {
      let token = kind == "fcm" ? Appliance.fcmToken() : Appliance.apnsToken()
      keep("a device token (\(kind))", token)
      let jwt = try wallet.token(audience: MockConfiguration.publicURL, now: now)
      keep("a client's JWT", jwt)
      let fields = [(name: "content-type", value: "application/json"), ("authorization", "Bearer " + jwt)]
      let body = MockWallet.body(clientID: wallet.clientID, type: kind, token: token, alwaysRaw: true)
      note("registration", try client.send("POST", "/clients", fields: fields, body: body))
      let message = "what the dapp has to say to \(kind)"
      keep("a message", message)
      note("push", try appliance.push(wallet.clientID, Appliance.raw(message), over: client))
    }
    // Every way to fail.
    let stray = try MockWallet()
    let wrong = [
      try wallet.token(audience: "https://elsewhere.example", now: now),
      try wallet.token(audience: MockConfiguration.publicURL, now: 1),
      try stray.token(audience: MockConfiguration.publicURL, now: now), "Bearer garbage.garbage.garbage",
    ]
    for jwt in wrong {
      if jwt.utf8.count > 60 { keep("a refused JWT", jwt) }
      let token = Appliance.apnsToken()
      keep("a refused device token", token)
      note(
        "refused registration",
        try client.send(
          "POST", "/clients", fields: [("content-type", "application/json"), ("authorization", jwt)],
          body: MockWallet.body(clientID: wallet.clientID, type: "apns", token: token, alwaysRaw: true)))
    }
    for token in ["spaces in \(Appliance.apnsToken())", String(repeating: "f00dcafe", count: 600)] {
      keep("an invalid device token", token)
      note("invalid token", try appliance.register(stray.clientID, token: token, over: client))
      note("unknown type", try appliance.register(stray.clientID, type: "fcm_v1", token: token, over: client))
    }
    let broken = "{\"client_id\":\"\(stray.clientID)\",\"type\":\"apns\",\"token\":\"\(Appliance.apnsToken())"
    keep("a token in broken JSON", String(broken.suffix(64)))
    note(
      "broken JSON",
      try client.send(
        "POST", "/clients", fields: [("content-type", "application/json")], body: Array(broken.utf8)))
    let device = Appliance.apnsToken()
    keep("a device token", device)
    let other = try MockWallet()
    note("registration", try appliance.register(other.clientID, token: device, over: client))
    for reason in [
      MockGateway.APNsReason.badDeviceToken, .invalidProviderToken, .payloadTooLarge, .internalServerError,
    ] {
      gateway.always(.apns(reason), at: .apnsProduction)
      note(
        "failing push",
        try appliance.push(other.clientID, Appliance.raw("what the dapp says: \(reason)"), over: client))
      gateway.clearReactions()
      note("registration", try appliance.register(other.clientID, token: device, over: client))
    }
    keep("a message", "what a forger has to say")
    let forged = Appliance.raw("what a forger has to say")
    note(
      "forged push",
      try client.send(
        "POST", "/clients/\(wallet.clientID)", fields: try MockRelay().pushFields(forged, timestamp: now),
        body: forged))
    note("bad push body", try appliance.push(wallet.clientID, Array("{\"topic\":1}".utf8), over: client))
    note("deletion", try client.send("DELETE", "/clients/\(other.clientID)"))
    for id in [wallet.clientID, stray.clientID, other.clientID] { keep("a client ID in the log", id) }
  }

  /// Values that are refused, each with a secret in the wrong place.
  private mutating func badConfigurations(_ appliance: Appliance) throws {
    keep("a proxy password", "hunter2-proxy-password")
    keep("a URL's password", "hunter2-url-password")
    keep("a key in the wrong place", "c2VjcmV0LWtleS1tYXRlcmlhbC1pbi10aGUtd3JvbmctcGxhY2U")
    let pem = "-----BEGIN PRIVATE KEY-----\\nc2VjcmV0LWtleS1tYXRlcmlhbC1pbi10aGUtd3JvbmctcGxhY2U\\n-----END"
    for lines in [
      "[outbound]\nproxy = \"ftp://user:hunter2-proxy-password@proxy.example.com\"",
      "[outbound]\nproxy = \"http://user:hunter2-proxy-password@proxy.example.com:x\"",
      "[outbound]\nproxy = [\"hunter2-proxy-password\"]",
      "[outbound]\nca_file = \"\(pem)\"",
      "[apns]\nkey = \"\(pem)\"",
      "[fcm]\nservice_account = \"\(pem)\"",
      "[log]\nformat = \"\(pem)\"",
      "[tls]\nkey_file = \"\(pem)\"\ncertificate_file = \"\(pem)\"",
    ] {
      try appliance.folder.write(
        "bad.toml", "[server]\npublic_url = \"https://u:hunter2-url-password@a\"\n\(lines)\n")
      let process = try ChildProcess("pushbox", ["check", "--config", appliance.folder.path + "/bad.toml"])
      _ = process.waitForOutput("\u{0}")
      _ = process.wait()
      outputs.append(("check of a bad configuration (\(lines.prefix(20)))", Array(process.text.utf8)))
    }
    try appliance.configure {
      $0 + "\n[outbound]\nproxy = \"ftp://user:hunter2-proxy-password@proxy.example.com\""
    }
    appliance.signal(SIGHUP)
    #expect(appliance.waitForLog("configuration not reloaded"))
    try appliance.configure { $0 }
  }

  /// The store's files as they are on the disk. The key file is what protects them, so it is not among them.
  private mutating func state(_ appliance: Appliance) throws {
    let folder = appliance.settings.folder + "/data"
    for path in Files.all(in: folder) where !path.hasSuffix("/token.key") {
      outputs.append((path, Files.read(path) ?? []))
    }
    let key = (Files.text(folder + "/token.key") ?? "").filter { $0 != "\n" }
    #expect(key.utf8.count == 64)
    keep("the store's key", key)
  }

  private func judge(_ appliance: Appliance) {
    #expect(outputs.count > 40)
    #expect(secrets.count > 20)
    for (place, bytes) in outputs {
      for secret in secrets {
        // A registration is stored under its client ID, and an operator's own commands name it.
        if secret.name.hasPrefix("a client ID"), place != "the log" { continue }
        let leaks = Self.forms(of: secret.text).contains { Self.contains(bytes, $0) }
        #expect(!leaks, "\(place) holds \(secret.name)")
      }
    }
    // A client can be followed nonetheless: by one name in all its lines.
    let log = appliance.log
    let names = log.split(separator: " client=").dropFirst().map { $0.prefix { !$0.isWhitespace } }
    #expect(names.count > 5)
    #expect(names.allSatisfy { $0.utf8.count == 17 && $0.hasPrefix("#") })
    #expect((1...3).contains(Set(names).count))
  }

  /// As it is, and its beginning: twelve characters would do for a look-up. A JWT begins like any other, so
  /// its signature counts.
  private static func forms(of secret: String) -> [[UInt8]] {
    if secret.hasPrefix("eyJ") { return [Array(secret.utf8.suffix(40))] }
    return [Array(secret.utf8.prefix(secret.hasPrefix("fcm:") ? 20 : 12)), Hex.decode(secret) ?? []].filter {
      !$0.isEmpty
    }
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard let first = part.first else { return false }
    return bytes.withUnsafeBytes { haystack in
      guard var position = haystack.baseAddress else { return false }
      let end = position + haystack.count
      while end - position >= part.count,
        let found = memchr(position, Int32(first), end - position - part.count + 1)
      {
        if memcmp(found, part, part.count) == 0 { return true }
        position = UnsafeRawPointer(found) + 1
      }
      return false
    }
  }
}

import Configuration
import Testing

@Suite struct ProblemTests {
  /// `Sample.minimal` has seven lines; what is added begins at line 8.
  @Test(arguments: [
    ("[store]\nport = 80", "c.toml:9:1: store.port: unknown key; the keys of [store] are path, map_size, "),
    ("[push]\ndeadlin_ms = 80", "c.toml:9:1: push.deadlin_ms: unknown key; did you mean push.deadline_ms?"),
    ("[log]\ntopic = \"a\"", "c.toml:9:1: log.topic: unknown key; did you mean apns.topic?"),
    ("[log]\n\"a\\nb\" = 1", "c.toml:9:1: log.a\\nb: unknown key; the keys of [log] are level, format"),
    ("[log]\nlevel = \"\\u001b[2J\"", "c.toml:9:9: log.level: found \"\\u{1B}[2J\", expected"),
    ("[stor]\npath = \"x\"", "c.toml:8:2: stor: unknown section; did you mean [store]?"),
    ("[database]", "c.toml:8:2: database: unknown section; the sections are server, tls, "),
    (
      "[apps.wallet.apns]",
      "c.toml:8:2: apps: several apps are not supported by this version; use [apns] and [fcm]"
    ),
    ("[[log]]", "c.toml:8:3: log: found type array, expected a table: [log]"),
    (
      "[log]\nlevel = \"loud\"",
      "c.toml:9:9: log.level: found \"loud\", expected \"debug\" or \"info\" or \"warning\" or \"error\""
    ),
    (
      "[log]\nlevel = 3",
      "c.toml:9:9: log.level: found type integer, expected \"debug\" or \"info\" or \"warning\" or \"error\""
    ),
    (
      "[push]\ndeadline_ms = 30000",
      "c.toml:9:15: push.deadline_ms: found 30000, expected milliseconds from 1000 to 29000, or a string such as \"25s\""
    ),
    (
      "[push]\ndeadline_ms = \"25\"",
      "c.toml:9:15: push.deadline_ms: found \"25\", expected milliseconds from 1000 to 29000, or a string such as \"25s\""
    ),
    (
      "[push]\nttl_s = \"1500ms\"",
      "c.toml:9:9: push.ttl_s: found \"1500ms\", expected seconds from 0 to "
    ),
    (
      "[push]\nmax_in_flight = 1.5",
      "c.toml:9:17: push.max_in_flight: found type float, expected an integer from 1 to "
    ),
    (
      "[store]\nmap_size = \"64 gigs\"",
      "c.toml:9:12: store.map_size: found \"64 gigs\", expected bytes from 1048576 to 1125899906842624, "
        + "or a string such as \"64KiB\""
    ),
    ("[store]\npath = \"\"", "c.toml:9:8: store.path: found an empty text, expected a path"),
    (
      "[store]\ndelivered_days = 2",
      "c.toml:9:18: store.delivered_days: is 2, expected at least 3: a push is accepted for as long as "
        + "relay.max_timestamp_age_s and must not be delivered twice"
    ),
    (
      "[clients]\nproject_ids = [\"a/b\"]",
      "c.toml:9:15: clients.project_ids: found \"a/b\", expected 1 to 64 letters, digits, '-' and '_'"
    ),
    (
      "[clients]\nproject_ids = [1]",
      "c.toml:9:15: clients.project_ids: found an element of type integer, expected an array of strings"
    ),
    (
      "[clients]\nproject_ids = []",
      "c.toml:9:15: clients.project_ids: names no project; remove the key to accept any"
    ),
    (
      "[metrics]\nallow = []",
      "c.toml:9:9: metrics.allow: lets nobody in; remove the key to let everybody in, or set metrics.token"
    ),
    ("[apns]", "apns.key_file: is missing; set apns.key_file, or apns.key, to the token signing key (.p8)"),
    ("[apns]", "apns.key_id: is missing; set apns.key_id in the file, or PUSHBOX_APNS_KEY_ID"),
    ("[apns]\nkey_id = \"123\"", "c.toml:9:10: apns.key_id: found \"123\", expected 10 letters and digits"),
    ("[apns]\nkey = \"TOPSECRET\"", "c.toml:9:7: apns.key: is not the token signing key (.p8)"),
    (
      "[apns]\nkey = \"TOPSECRET\"\nkey_file = \"x\"",
      "c.toml:10:12: apns.key_file: is set together with apns.key; remove one of them"
    ),
    (
      "[apns]\nproduction_endpoint = \"http://localhost:1\"",
      "c.toml:9:23: apns.production_endpoint: is no https URL; gateways are reached by https only"
    ),
    (
      "[apns]\nproduction_endpoint = \"https://localhost:1/x\"",
      "c.toml:9:23: apns.production_endpoint: has a path, expected only https://host:port"
    ),
    ("a = = 1", "c.toml:8:5: found '=', expected a value (a string needs quotes)"),
  ])
  func isReported(added: String, expected: String) throws {
    let found = try problems(Sample.minimal + added)
    #expect(found.contains { $0.hasPrefix(expected) }, "\(found)")
    #expect(!found.joined().contains("TOPSECRET"))
  }

  @Test(arguments: [
    ("", "is no usable URL: expected http:// or https://"),
    ("push.example.com", "is no usable URL: expected http:// or https://"),
    ("ftp://push.example.com", "is no usable URL: expected http:// or https://"),
    ("https://", "is no usable URL: expected a host and, if need be, ':' and a port from 1 to 65535"),
    ("https://a:0", "is no usable URL: expected a host and, if need be, ':' and a port from 1 to 65535"),
    ("https://a:65536", "is no usable URL: expected a host and, if need be, ':' and a port from 1 to 65535"),
    ("https://a:", "is no usable URL: expected a host and, if need be, ':' and a port from 1 to 65535"),
    ("https://a_b", "is no usable URL: expected a host and, if need be, ':' and a port from 1 to 65535"),
    ("https://[::1", "is no usable URL: expected a host and, if need be, ':' and a port from 1 to 65535"),
    ("https://u:hunter2@a", "is no usable URL: expected no user name or password before the host"),
    ("https://a/?x", "is no usable URL: expected no '?' and no '#'"),
    ("https://a/#x", "is no usable URL: expected no '?' and no '#'"),
    ("https://a//b", "is no usable URL: expected path segments of letters, digits and - . _ ~"),
    ("https://a/../b", "is no usable URL: expected path segments of letters, digits and - . _ ~"),
    ("https://a/b c", "is no usable URL: expected path segments of letters, digits and - . _ ~"),
  ])
  func urls(url: String, expected: String) throws {
    let found = try problems(Sample.minimal.replacing("https://push.example.com", with: url))
    #expect(found == ["c.toml:2:14: server.public_url: \(expected)"])
  }

  @Test(arguments: [
    "8080", "0.0.0.0", "0.0.0.0:", "0.0.0.0:65536", "::1:80", "[127.0.0.1]:80", "example.com:80", "1.2.3:80",
  ])
  func listenAddresses(address: String) throws {
    let found = try problems("server.listen = \"\(address)\"\n[x]")
    #expect(
      found.first
        == "c.toml:1:17: server.listen: found \"\(address)\", expected an IP address and a port such as "
        + "\"0.0.0.0:8080\" or \"[::]:8080\"")
  }

  @Test func anAddressTwiceAndNone() throws {
    let twice = try problems("server.listen = [\"[::1]:1\", \"[::1]:1\"]")
    #expect(twice.first == "c.toml:1:17: server.listen: names [::1]:1 twice")
    let none = try problems("server.listen = []")
    #expect(none.first == "c.toml:1:17: server.listen: found no address, expected at least one")
  }

  @Test func severalProblemsInOneGo() throws {
    let found = try problems(
      "[log]\nlevel = \"loud\"\n[server]\nworkers = -1\nlisten = \"x\"\n",
      environment: ["VALIDATE_SIGNATURES": "maybe", "PORT": "http"])
    #expect(
      found == [
        "c.toml:2:9: log.level: found \"loud\", expected \"debug\" or \"info\" or \"warning\" or \"error\"",
        "c.toml:4:11: server.workers: found -1, expected an integer from 0 to 1024",
        "environment VALIDATE_SIGNATURES: relay.validate_signatures: found \"maybe\", expected true or false",
        "environment PORT: server.listen: found \"0.0.0.0:http\", expected an IP address and a port such as "
          + "\"0.0.0.0:8080\" or \"[::]:8080\"",
        "server.public_url: is missing; set server.public_url in the file, or PUSHBOX_SERVER_PUBLIC_URL",
        "relay.public_key: is missing; set relay.public_key or RELAY_PUBLIC_KEY; "
          + "the key is served at GET https://relay.walletconnect.com/public-key",
        "no gateway configured: add [apns] or [fcm]",
      ])
  }

  @Test func theErrorListsOneLineAProblem() throws {
    do {
      _ = try Configuration.load(file: nil, environment: [:])
      Issue.record("an empty configuration must not be accepted")
    } catch {
      #expect(
        error.description.hasPrefix("the configuration has 3 problems:\n  server.public_url: is missing"))
      #expect(error.description.split(separator: "\n").count == 4)
    }
  }

  @Test func certificatesAreRefusedWithAdvice() throws {
    let found = try problems(
      Sample.minimal, environment: ["APNS_TYPE": "certificate", "APNS_CERTIFICATE": "not base64!"])
    #expect(
      found.contains {
        $0.hasPrefix("environment APNS_CERTIFICATE: apns.certificate: is not the push certificate")
      })
    let other = try problems(Sample.minimal, environment: ["APNS_TYPE": "p12"])
    #expect(
      other.contains("environment APNS_TYPE: apns: found another type, expected \"token\" or \"certificate\"")
    )
  }

  @Test func unknownAndRetiredVariablesAreWarnings() throws {
    let (_, warnings) = try load(
      Sample.minimal,
      environment: [
        "PUSHBOX_SERVER_WORKER": "1", "PUSHBOX_Q": "1", "FCM_API_KEY": "hunter2", "LOG_LEVEL": "x=info",
      ])
    #expect(
      warnings == [
        "environment LOG_LEVEL: log.level: no level found, ignored; use debug, info, warning or error",
        "environment FCM_API_KEY: has no effect: Google has shut the legacy FCM API down; "
          + "use FCM_V1_CREDENTIALS or fcm.service_account_file",
        "environment PUSHBOX_Q: unknown variable, ignored",
        "environment PUSHBOX_SERVER_WORKER: unknown variable, ignored; did you mean PUSHBOX_SERVER_WORKERS?",
      ])
  }

  @Test func plainHTTPIsAWarningUnlessLocal() throws {
    let (_, warnings) = try load(Sample.minimal.replacing("https://push", with: "http://push"))
    #expect(
      warnings == ["c.toml:2:14: server.public_url: is no https URL; the relay and wallets need https"])
    #expect(
      try load(Sample.minimal.replacing("https://push.example.com", with: "http://localhost:8080")).warnings
        == [])
  }

  @Test func aFileThatCannotBeReadIsNamed() throws {
    let folder = try TemporaryFolder()
    for (path, reason) in [
      ("\(folder.path)/none.toml", "can't open: there is no such file"),
      (folder.path, "is a folder, expected a file"),
      (
        try folder.write(String(repeating: "#", count: 1 << 20 + 1), to: "large.toml"),
        "is larger than 1 MiB, expected a small file"
      ),
    ] {
      do {
        _ = try Configuration.load(file: path, environment: [:])
        Issue.record("\(path) must not be accepted")
      } catch {
        #expect(error.problems.map(\.description) == ["\(path): \(reason)"])
      }
    }
  }
}

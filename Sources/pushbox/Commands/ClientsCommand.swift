import Configuration
import Service
import Store
import Telemetry

/// `pushbox clients`: looks at registrations and changes them, beside a server. Never shows a device token.
enum ClientsCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox clients count [--json]
             pushbox clients list [PREFIX] [--after ID] [--limit N] [--json]
             pushbox clients show ID [--json]
             pushbox clients find TYPE TOKEN [--json]
             pushbox clients delete ID...
             pushbox clients revive ID...
             (each with [--config FILE])

      count    registrations by type
      list     client IDs that begin with PREFIX, in order, at most N (100); --after the last one seen
      show     one registration without its device token, how many pushes it got, and the client's name
               in the log; ID may be that name, in quotes: '#0123456789abcdef'. A new token key brings
               new names.
      find     the client that holds a device token of type apns, apns-sandbox or fcm
      delete   unregister clients
      revive   use a device token again that a gateway called dead
      --json   print a JSON object, for list one a line; times are seconds since the epoch

      Exit status 1 when a client is not registered.
      """, options: ["after", "limit"], flags: ["json"], operands: 1...1000,
    words: ["count", "list", "show", "find", "delete", "revive"])

  static let command = Command(
    name: "clients", summary: "count, list, show, find, delete and revive registrations",
    syntax: StoreCommand.withConfig(syntax), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    StoreCommand.run(syntax, arguments) { (arguments, settings) throws(StoreCommand.Failure) in
      let operands = arguments.operands.dropFirst()
      let count = operands.count
      let isJSON = arguments.flags.contains("json")
      switch arguments.operands.first {
      case "count" where count == 0:
        let reader = try StoreCommand.reader(try StoreCommand.openTool(settings))
        let counts = try StoreCommand.perform { () throws(StoreError) in try reader.counts() }
        Terminal.print(isJSON ? ClientText.json(counts) : StoreCommand.text(counts))
        return 0
      case "list" where count <= 1:
        let limit = arguments.options["limit"] ?? "100"
        guard let limit = Int(limit), limit > 0 else { break }
        let store = try StoreCommand.openTool(settings)
        return try list(store, operands.first ?? "", after: arguments.options["after"], limit, isJSON)
      case "show" where count == 1:
        return try show(settings, operands.first ?? "", isJSON)
      case "find" where count == 2:
        guard let kind = TokenKind(name: operands.first ?? "") else { break }
        return try find(try StoreCommand.openTool(settings), kind, operands.last ?? "", isJSON)
      case "delete" where count >= 1:
        return try delete(try StoreCommand.openTool(settings), operands)
      case "revive" where count >= 1:
        return try revive(try StoreCommand.openTool(settings), operands)
      default: break
      }
      Terminal.printError(syntax.help)
      return 2
    }
  }

  private static func list(
    _ store: Store, _ prefix: String, after: String?, _ limit: Int, _ isJSON: Bool
  ) throws(StoreCommand.Failure) -> Int32 {
    let reader = try StoreCommand.reader(store)
    let found = try StoreCommand.perform { () throws(StoreError) in
      try reader.list(prefix: prefix, after: after, limit: limit)
    }
    for client in found {
      Terminal.print(isJSON ? ClientText.json(client) : ClientText.line(client))
    }
    return 0
  }

  private static func show(
    _ settings: Configuration.Store, _ client: String, _ isJSON: Bool
  ) throws(StoreCommand.Failure) -> Int32 {
    let (store, cipher) = try StoreCommand.openToolWithCipher(settings)
    let reader = try StoreCommand.reader(store)
    let pseudonyms = Pseudonyms(key: cipher.pseudonymKey)
    let found = try StoreCommand.perform { () throws(StoreError) -> ClientSummary? in
      if let summary = try reader.summary(try ClientKey(client: bare(client))) { return summary }
      guard let pseudonym = Pseudonym(client) else { return nil }
      return try find(pseudonym, pseudonyms, reader)
    }
    guard let found else {
      throw StoreCommand.Failure("\(client) is not registered")
    }
    let activity = try StoreCommand.perform { () throws(StoreError) in
      try Store.activity(found.key, path: settings.path)
    }
    let name = pseudonyms.pseudonym(ofClientID: found.key.clientID)
    Terminal.print(isJSON ? ClientText.json(found, name, activity) : ClientText.page(found, name, activity))
    return 0
  }

  /// The client of that name: tries all. In steps, each with a snapshot of its own, so that a server's store does
  /// not grow meanwhile.
  private static func find(
    _ pseudonym: Pseudonym, _ pseudonyms: Pseudonyms, _ reader: StoreReader
  ) throws(StoreError) -> ClientSummary? {
    var page = RegistrationPage()
    repeat {
      page = try reader.page(after: page.next, limit: 1, rowLimit: 100_000) {
        pseudonyms.isPseudonym(pseudonym, ofBareClientID: $0.clientID)
      }
    } while page.items.isEmpty && page.next != nil
    return page.items.first
  }

  private static func find(
    _ store: Store, _ kind: TokenKind, _ token: String, _ isJSON: Bool
  ) throws(StoreCommand.Failure) -> Int32 {
    let reader = try StoreCommand.reader(store)
    let key = try StoreCommand.perform { () throws(StoreError) in
      try reader.client(kind: kind, token: token)
    }
    guard let key else { throw StoreCommand.Failure("no client has this token") }
    Terminal.print(isJSON ? ClientText.json(key) : key.clientID)
    return 0
  }

  private static func delete(
    _ store: Store, _ clients: ArraySlice<String>
  ) throws(StoreCommand.Failure) -> Int32 {
    try forEach(clients) { (key) throws(StoreError) in
      try StoreCommand.wait { store.delete(key, completion: $0) } ? "deleted" : nil
    }
  }

  private static func revive(
    _ store: Store, _ clients: ArraySlice<String>
  ) throws(StoreCommand.Failure) -> Int32 {
    try forEach(clients) { (key) throws(StoreError) in
      switch try StoreCommand.wait({ store.revive(key, completion: $0) }) {
      case .revived: "revived"
      case .active: "active already:"
      case .notRegistered: nil
      }
    }
  }

  /// Says what became of each client, by the words of `body`; nil for one that is not registered, which makes the
  /// exit status 1.
  private static func forEach(
    _ clients: ArraySlice<String>, _ body: (ClientKey) throws(StoreError) -> String?
  ) throws(StoreCommand.Failure) -> Int32 {
    var status: Int32 = 0
    for client in clients {
      let outcome = try StoreCommand.perform { () throws(StoreError) in
        try body(try ClientKey(client: bare(client)))
      }
      if outcome == nil { status = 1 }
      Terminal.print(outcome.map { "\($0) \(client)" } ?? "\(client) is not registered")
    }
    return status
  }

  /// Registrations are stored without `did:key:`.
  private static func bare(_ client: String) -> String {
    client.hasPrefix("did:key:") ? String(client.dropFirst("did:key:".count)) : client
  }
}

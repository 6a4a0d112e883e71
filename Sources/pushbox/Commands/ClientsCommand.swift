import Store

/// `pushbox clients`: looks at registrations and deletes them, beside a server. Never shows a device token.
enum ClientsCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox clients count
             pushbox clients list [PREFIX] [--after ID] [--limit N]
             pushbox clients show ID
             pushbox clients find TYPE TOKEN
             pushbox clients delete ID...
             (each with [--config FILE])

      count    registrations by type
      list     client IDs that begin with PREFIX, in order, at most N (100); --after the last one seen
      show     one registration, without its device token
      find     the client that holds a device token of type apns, apns-sandbox or fcm
      delete   unregister clients
      """, options: ["after", "limit"], operands: 1...1000)

  static func run(_ arguments: ArraySlice<String>) -> Int32 {
    StoreCommand.run(syntax, arguments) { (arguments, settings) throws(StoreCommand.Failure) in
      let operands = arguments.operands.dropFirst()
      let count = operands.count
      switch arguments.operands.first {
      case "count" where count == 0:
        let store = try StoreCommand.openTool(settings)
        let reader = try StoreCommand.reader(store)
        Terminal.print(
          StoreCommand.text(try StoreCommand.perform { () throws(StoreError) in try reader.counts() }))
        return 0
      case "list" where count <= 1:
        let limit = arguments.options["limit"] ?? "100"
        guard let limit = Int(limit), limit > 0 else { break }
        let store = try StoreCommand.openTool(settings)
        return try list(store, operands.first ?? "", after: arguments.options["after"], limit)
      case "show" where count == 1:
        return try show(try StoreCommand.openTool(settings), operands.first ?? "")
      case "find" where count == 2:
        guard let kind = TokenKind(name: operands.first ?? "") else { break }
        return try find(try StoreCommand.openTool(settings), kind, operands.last ?? "")
      case "delete" where count >= 1:
        return try delete(try StoreCommand.openTool(settings), operands)
      default: break
      }
      Terminal.printError(syntax.help)
      return 2
    }
  }

  private static func list(
    _ store: Store, _ prefix: String, after: String?, _ limit: Int
  ) throws(StoreCommand.Failure) -> Int32 {
    let reader = try StoreCommand.reader(store)
    let found = try StoreCommand.perform { () throws(StoreError) in
      try reader.list(prefix: prefix, after: after, limit: limit)
    }
    for client in found {
      let state = client.tombstone.map { "dead: \($0.reason)" } ?? "active"
      Terminal.print("\(client.key.clientID)\t\(client.kind.name)\t\(state)")
    }
    return 0
  }

  private static func show(_ store: Store, _ client: String) throws(StoreCommand.Failure) -> Int32 {
    let reader = try StoreCommand.reader(store)
    let record = try StoreCommand.perform { () throws(StoreError) in
      try reader.lookup(ClientKey(client: bare(client)))
    }
    guard let summary = record?.summary else {
      throw StoreCommand.Failure("\(client) is not registered")
    }
    Terminal.print("client:         \(summary.key.clientID)")
    Terminal.print("type:           \(summary.kind.name)")
    Terminal.print("always raw:     \(summary.alwaysRaw)")
    Terminal.print("authenticated:  \(summary.authenticated)")
    Terminal.print("first seen:     \(summary.createdAt / 1000) s since the epoch")
    Terminal.print("registered:     \(summary.updatedAt / 1000) s since the epoch")
    if let tombstone = summary.tombstone {
      Terminal.print("token dead:     \(tombstone.time / 1000) s since the epoch, \(tombstone.reason)")
    }
    return 0
  }

  private static func find(
    _ store: Store, _ kind: TokenKind, _ token: String
  ) throws(StoreCommand.Failure) -> Int32 {
    let reader = try StoreCommand.reader(store)
    let key = try StoreCommand.perform { () throws(StoreError) in try reader.client(kind: kind, token: token)
    }
    guard let key else { throw StoreCommand.Failure("no client has this token") }
    Terminal.print(key.clientID)
    return 0
  }

  private static func delete(
    _ store: Store, _ clients: ArraySlice<String>
  ) throws(StoreCommand.Failure) -> Int32 {
    var status: Int32 = 0
    for client in clients {
      let existed = try StoreCommand.perform { () throws(StoreError) in
        let key = try ClientKey(client: bare(client))
        return try StoreCommand.wait { store.delete(key, completion: $0) }
      }
      Terminal.print(existed ? "deleted \(client)" : "\(client) is not registered")
      if !existed { status = 1 }
    }
    return status
  }

  /// Registrations are stored without `did:key:`.
  private static func bare(_ client: String) -> String {
    client.hasPrefix("did:key:") ? String(client.dropFirst("did:key:".count)) : client
  }
}

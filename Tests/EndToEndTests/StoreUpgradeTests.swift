import Glibc
import MockRelay
import TestSupport
import Testing

@testable import Store

/// A new pushbox on the store of an older one.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(10))) struct StoreUpgradeTests {
  @Test func theServerTakesAnOlderStoreOverAndDeliversToItsClients() throws {
    let socket = try NotifySocket()
    let appliance = try Appliance(environment: [socket.variable])
    let wallet = try appliance.registered()
    let other = "not-a-key"
    #expect(try appliance.register(other, token: Appliance.apnsToken()).status == 200)
    let export = try appliance.command("export", "--output", appliance.folder.path + "/new")
    #expect(export.status == 0, "\(export.text)")
    #expect(appliance.end(SIGTERM) == 0)
    #expect(socket.next().hasPrefix("READY=1"))
    #expect(socket.next() == "STOPPING=1")

    try turnBack(appliance.folder.path + "/" + appliance.settings.storePath)
    let tool = try appliance.command("export", "--output", appliance.folder.path + "/old")
    #expect(tool.status == 1 && tool.text.contains("start the server of this pushbox"), "\(tool.text)")

    try appliance.restart()
    #expect(appliance.log.contains("bringing the store of an older pushbox up to date"))
    let starting = socket.next()
    #expect(starting.hasPrefix("EXTEND_TIMEOUT_USEC=600000000\nSTATUS="), "\(starting)")
    #expect(socket.next() == "READY=1\nSTATUS=serving")
    #expect(try appliance.push(wallet.clientID, Appliance.raw("1")).status == 202)
    #expect(try appliance.push(other, Appliance.raw("1")).status == 202)
    #expect(appliance.gateway.deliveryCount == 2)
    #expect(try appliance.command("export", "--output", appliance.folder.path + "/again").status == 0)
    let before = try text(appliance.folder.path + "/new")
    let after = try text(appliance.folder.path + "/again")
    let isSame = before == after
    #expect(isSame && before.contains(wallet.clientID) && before.contains(other), "\(before)\(after)")
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try TemporaryFolder.read(path), as: UTF8.self)
  }

  /// Rewrites the tables as schema version 1 had them. An index of a token was twice as long; its second half is
  /// made up, as nothing reads it.
  private func turnBack(_ path: String) throws {
    let environment = try LMDBEnvironment(
      path: path + "/registrations", settings: .init(mapSize: nil, isDurable: true, mayCreate: false))
    var transaction = try WriteTransaction(environment)
    let meta = try environment.openTable("meta", in: transaction)
    let clients = try environment.openTable("clients", in: transaction)
    let tokens = try environment.openTable("token-index", in: transaction)
    var rows: [(ClientKey, RegistrationRow, sealedToken: [UInt8])] = []
    try transaction.scan(clients, from: []) { (key, value) throws(StoreError) in
      var rest = value
      if let key = ClientKey(stored: key), let row = RegistrationRow(takenFrom: &rest) {
        rows.append((key, row, rest.withUnsafeBufferPointer { Array($0) }))
      }
      return true
    }
    #expect(rows.count == 2)
    try transaction.remove(clients)
    try transaction.remove(tokens)
    let oldClients = try environment.openTable("registrations", in: transaction)
    let oldTokens = try environment.openTable("tokens", in: transaction)
    for (key, row, sealedToken) in rows {
      let index = row.tokenIndex + [UInt8](repeating: 0, count: 16)
      var old: [UInt8] = [1, row.kind.rawValue, (row.alwaysRaw ? 1 : 0) | (row.authenticated ? 2 : 0), 0]
      for number in [row.createdAt, row.updatedAt, row.generation] { old.append(bigEndian: number) }
      old += index
      old.append(bigEndian: UInt16(sealedToken.count))
      try transaction.put(oldClients, key.bytes, old + sealedToken)
      try transaction.put(oldTokens, index, key.bytes)
    }
    try Schema.registrations.setVersion(1, meta, in: &transaction)
    try transaction.commit()
  }
}

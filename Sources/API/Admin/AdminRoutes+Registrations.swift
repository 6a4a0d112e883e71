import Bytes
import Crypto
import EventLoop
import HTTP
import JSON
import Relay
import Service
import Store
import Telemetry

/// Finding, deleting and reviving registrations.
extension AdminRoutes {
  /// Rows that one request looks at: some milliseconds.
  private static let rowLimit = 10_000

  func search(_ body: AdminBody, _ call: Call) {
    let search: RegistrationSearch
    do throws(AdminBodyError) {
      search = try body.search()
    } catch {
      return call.fail(error)
    }
    let pseudonyms = shared.service.log.pseudonyms
    shared.atDesk(loop) { reader in
      Self.page(search, pseudonyms, reader)
    } _: { json in
      guard let json else { return call.storeFailed() }
      call.respond(.json(200, json))
    }
  }

  /// nil when the store cannot be read.
  private static func page(_ search: RegistrationSearch, _ pseudonyms: Pseudonyms, _ reader: StoreReader)
    -> [UInt8]?
  {
    do throws(StoreError) {
      var page = RegistrationPage()
      var matched = search.query.isEmpty ? "all" : search.pseudonym == nil ? "client_id" : "pseudonym"
      let holder =
        search.query.isEmpty || search.cursor != nil ? nil : try client(token: search.query, reader)
      if let holder {
        matched = "token"
        page.scanned = 1
        if let summary = try reader.summary(holder) { page.items = [summary] }
      } else if let pseudonym = search.pseudonym {
        page = try reader.page(after: search.cursor, filter: search.filter, limit: 1, rowLimit: rowLimit) {
          pseudonyms.isPseudonym(pseudonym, ofBareClientID: $0.clientID)
        }
        // There is no second one.
        if !page.items.isEmpty { page.next = nil }
      } else {
        page = try reader.page(
          prefix: Self.withoutScheme(search.query), after: search.cursor, filter: search.filter,
          limit: search.limit, rowLimit: rowLimit)
      }
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("matched_by", matched)
      writer.key("items")
      writer.beginArray()
      for summary in page.items { writer.registration(summary, try reader.activity(summary.key)) }
      writer.endArray()
      writer.optional("next_cursor", page.next)
      writer.member("scanned", page.scanned)
      writer.endObject()
      return writer.bytes
    } catch {
      return nil
    }
  }

  /// The client that holds a whole device token.
  private static func client(token: String, _ reader: StoreReader) throws(StoreError) -> ClientKey? {
    guard Registration.problem(ofToken: token) == nil else { return nil }
    for kind in TokenKind.allCases {
      if let client = try reader.client(kind: kind, token: token) { return client }
    }
    return nil
  }

  /// A client ID is stored without `did:key:`.
  private static func withoutScheme(_ text: String) -> String {
    var bare = text[...]
    while bare.hasPrefix(DIDKey.prefix) { bare = bare.dropFirst(DIDKey.prefix.count) }
    return String(bare)
  }

  // MARK: One registration

  func registration(_ client: ClientID, _ call: Call) {
    respondRegistration(client, call)
  }

  private func respondRegistration(_ client: ClientID, _ call: Call) {
    shared.atDesk(loop) { reader -> Result<[UInt8]?, StoreError> in
      do throws(StoreError) {
        let key = try ClientKey(client: client.text)
        guard let summary = try reader.summary(key) else { return .success(nil) }
        var writer = JSONWriter()
        writer.registration(summary, try reader.activity(key))
        return .success(writer.bytes)
      } catch {
        return .failure(error)
      }
    } _: { result in
      switch result {
      case .success(let json?): call.respond(.json(200, json))
      case .success(nil): Self.notRegistered(call)
      case .failure: call.storeFailed()
      }
    }
  }

  private static func notRegistered(_ call: Call) {
    call.fail(404, "not_registered", "there is no registration of this client ID")
  }

  func delete(_ client: ClientID, _ call: Call) {
    let shared = self.shared
    shared.atDesk(loop) { reader -> Result<ClientRecord?, StoreError> in
      do throws(StoreError) {
        return .success(try reader.lookup(try ClientKey(client: client.text)))
      } catch {
        return .failure(error)
      }
    } _: { [self] result in
      switch result {
      case .success(let record?): delete(record, call)
      case .success(nil): Self.notRegistered(call)
      case .failure: call.storeFailed()
      }
    }
  }

  private func delete(_ record: ClientRecord, _ call: Call) {
    let key = record.summary.key
    let undo: (id: String, expiresAt: UInt64)
    do throws(CryptoError) {
      undo = try shared.undo.keep(record, now: shared.clock())
    } catch {
      return call.fail(503, "undo", "nothing was deleted: \(error)", retryAfter: 5)
    }
    let bound = LoopBound(self, loop: loop)
    let waiting = LoopBound(call, loop: loop)
    shared.service.store.delete(key) { result in
      bound.run { routes in
        let call = waiting.value
        routes.shared.actions.note(.delete, target: key.clientID, isGood: result.isGood, by: call.address)
        guard result.isGood else { return call.storeFailed() }
        routes.shared.service.metrics.noteDeletion()
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("client_id", key.clientID)
        writer.key("undo")
        writer.beginObject()
        writer.member("id", undo.id)
        writer.member("expires_at", undo.expiresAt)
        writer.endObject()
        writer.endObject()
        call.respond(.json(200, writer.bytes))
      }
    }
  }

  func restore(_ client: ClientID, _ body: AdminBody, _ call: Call) {
    let id: String
    do throws(AdminBodyError) {
      id = try body.undo()
    } catch {
      return call.fail(error)
    }
    guard let key = try? ClientKey(client: client.text),
      let record = shared.undo.record(id, of: key, now: shared.clock())
    else {
      return call.fail(
        409, "undo_expired",
        "this deletion cannot be undone any more: ten minutes have passed, or pushbox has restarted. "
          + "The app has to register anew")
    }
    let summary = record.summary
    let restored = ImportedRegistration(
      registration: Registration(
        key: key, kind: summary.kind, token: record.token, alwaysRaw: summary.alwaysRaw,
        authenticated: summary.authenticated),
      createdAt: summary.createdAt, updatedAt: summary.updatedAt, tombstone: summary.tombstone)
    let bound = LoopBound(self, loop: loop)
    let waiting = LoopBound(call, loop: loop)
    shared.service.store.importRegistrations([restored]) { result in
      bound.run { routes in
        let call = waiting.value
        routes.shared.actions.note(
          .restore, target: key.clientID, isGood: (try? result.get()) == [.stored], by: call.address)
        switch result {
        case .success([.stored]):
          routes.shared.undo.forget(id)
          routes.respondRegistration(client, call)
        case .success:
          call.fail(
            409, "registered_meanwhile", "the client or its device has registered since: nothing was changed")
        case .failure: call.storeFailed()
        }
      }
    }
  }

  func revive(_ client: ClientID, _ call: Call) {
    guard let key = try? ClientKey(client: client.text) else { return Self.notRegistered(call) }
    let bound = LoopBound(self, loop: loop)
    let waiting = LoopBound(call, loop: loop)
    shared.service.store.revive(key) { result in
      bound.run { routes in
        let call = waiting.value
        routes.shared.actions.note(
          .revive, target: key.clientID, isGood: (try? result.get()) == .revived, by: call.address)
        switch result {
        case .success(.revived): routes.respondRegistration(client, call)
        case .success(.active):
          call.fail(409, "not_tombstoned", "the registration is active: there is nothing to revive")
        case .success(.notRegistered): Self.notRegistered(call)
        case .failure: call.storeFailed()
        }
      }
    }
  }
}

extension Result {
  fileprivate var isGood: Bool {
    if case .success = self { true } else { false }
  }
}

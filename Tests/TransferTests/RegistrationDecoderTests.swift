import Store
import Testing

@testable import Transfer

@Suite struct RegistrationDecoderTests {
  private func decode(
    _ text: String, _ format: TransferFormat, tenant: String? = nil
  ) -> [Result<ImportedRegistration, TransferError>] {
    var splitter = RecordSplitter(format)
    var decoder = RegistrationDecoder(format, tenant: tenant)
    var found: [Result<ImportedRegistration, TransferError>] = []
    for record in splitter.feed(text.utf8) {
      do throws(TransferError) {
        if let row = try decoder.decode(record) { found.append(.success(row)) }
      } catch {
        found.append(.failure(error))
      }
    }
    return found
  }

  private func only(_ line: String) -> Result<ImportedRegistration, TransferError>? {
    decode(line + "\n", .jsonLines).first
  }

  @Test func aDumpOfTheRustServer() throws {
    let rows = decode(
      """
      id,push_type,device_token,created_at,tenant_id,always_raw
      did:key:z6Mka,apns,aabb,2023-11-14 09:12:33.123456+00,t1,t
      z6Mkb,apnssandbox,ccdd,2023-11-14 11:12:33+02,t1,f
      z6Mkc,fcm,"e:f,g",2024-02-29 00:00:00-05:30,t1,
      z6Mkd,noop,x,2023-11-14 09:12:33+00,t1,f
      z6Mke,fcm,x,2023-11-14 09:12:33+00,t2,f
      z6Mkf,fcm,x,yesterday,t1,f
      z6Mkg,fcm,x

      """, .csv)
    #expect(rows.count == 7)
    let a = try rows[0].get()
    #expect(a.registration.key.clientID == "z6Mka")
    #expect(a.registration.kind == .apns && a.registration.token == "aabb" && a.registration.alwaysRaw)
    #expect(a.createdAt == 1_699_953_153_123 && a.updatedAt == a.createdAt)
    let b = try rows[1].get()
    #expect(b.registration.kind == .apnsSandbox && !b.registration.alwaysRaw)
    #expect(b.createdAt == 1_699_953_153_000)
    let c = try rows[2].get()
    #expect(c.registration.token == "e:f,g")
    #expect(c.createdAt == 1_709_184_600_000)
    let words = ["noop", "tenant t2", "created_at", "3 fields"]
    for (row, word) in zip(rows[3...], words) {
      #expect(throws: TransferError.self) { try row.get() }
      if case .failure(let error) = row { #expect(error.description.contains(word), "\(error)") }
    }
  }

  @Test func aDumpWithoutNamesAndOneTenantOfMany() throws {
    let rows = decode(
      """
      a,fcm,t1,2023-11-14 09:12:33+00,one,f
      b,fcm,t2,2023-11-14 09:12:33+00,two,t

      """, .csv, tenant: "two")
    #expect(rows.count == 2)
    #expect(throws: TransferError.self) { try rows[0].get() }
    #expect(try rows[1].get().registration.key.clientID == "b")
  }

  @Test func anUnknownTableIsNamed() {
    let rows = decode("name,age\nx,1\n", .csv)
    #expect(rows.count == 2)
    #expect(throws: TransferError.self) { try rows[0].get() }
  }

  @Test func handmadeLinesNeedLittle() throws {
    let row = try #require(try only(#"{"client_id":"did:key:abc","type":"fcm","token":"t"}"#)?.get())
    #expect(row.registration.key.clientID == "abc" && row.registration.key.appID == "default")
    #expect(row.createdAt == 0 && row.updatedAt == 0 && row.tombstone == nil)
  }

  @Test(arguments: [
    ("nonsense", "line"), ("[]", "no JSON object"), ("{}", "client_id"),
    (#"{"client_id":"a","type":"fcm"}"#, "token"),
    (#"{"client_id":"a","type":"web","token":"t"}"#, "type web"),
    (#"{"client_id":"","type":"fcm","token":"t"}"#, "client_id"),
    (#"{"client_id":"a","type":"fcm","token":"secret token"}"#, "white space"),
    (#"{"client_id":"a","type":"fcm","token":"t","always_raw":2}"#, "always_raw"),
    (#"{"client_id":"a","type":"fcm","token":"t","updated_at":-1}"#, "updated_at"),
    (#"{"client_id":"a","type":"fcm","token":["secret"]}"#, "token"),
  ])
  func whatIsNoRegistrationIsSaidInWords(line: String, word: String) {
    guard case .failure(let error) = only(line) else { return #expect(Bool(false), "\(line)") }
    #expect(error.description.contains(word), "\(error)")
    #expect(!error.description.contains("secret"), "\(error)")
  }

  /// As spreadsheets write them: a byte order mark, CRLF, quotes, columns in another order and some of one's own.
  @Test func aSpreadsheetsFile() throws {
    let rows = decode(
      "\u{FEFF}\"note\",token,always_raw,client_id,type\r\n\"of, mine\",aabb,true,one,apns\r\n,\"e:f,g\",,two,fcm\r\n",
      .csv)
    #expect(rows.count == 2)
    let (one, two) = (try rows[0].get().registration, try rows[1].get().registration)
    #expect(one.key.clientID == "one" && one.kind == .apns && one.token == "aabb" && one.alwaysRaw)
    #expect(two.key.clientID == "two" && two.kind == .fcm && two.token == "e:f,g" && !two.alwaysRaw)
  }

  /// Names in another order than the fields: whatever a device token is taken for, it is not shown.
  @Test(arguments: [
    ["client_id", "type", "token", "always_raw", "created_at", "tombstone_time"],
    ["id", "push_type", "device_token", "created_at", "tenant_id", "always_raw"],
  ])
  func shiftedColumnsShowNoToken(names: [String]) {
    let token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    for shift in names.indices {
      let names = (names[shift...] + names[..<shift]).joined(separator: ",")
      let fields = "client,fcm,\(token),2023-11-14 09:12:33+00,tenant,t"
      // Twice: the first row chooses the tenant.
      for row in decode("\(names)\n\(fields)\n\(fields.replacing("tenant", with: token))\n", .csv) {
        if case .failure(let error) = row {
          #expect(!error.description.contains(token.prefix(12)), "\(names): \(error)")
        }
      }
    }
  }

  @Test(arguments: [
    "", "2023-11-14", "2023-13-14 00:00:00+00", "2023-11-14 00:00:00+0", "2023-11-14 00:00:00.+00",
    "1969-12-31 23:59:59+00", "2023-11-14 00:00:00+00 ",
  ])
  func noTimestamps(text: String) {
    #expect(PostgresTimestamp.milliseconds(text) == nil)
  }
}

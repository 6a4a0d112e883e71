import JSON
import Relay
import Store

/// Reads registrations: what `RegistrationEncoder` writes, and a CSV dump of the Rust push server's table.
public struct RegistrationDecoder: Sendable {
  private let format: TransferFormat
  /// The tenant whose rows are taken from a dump; nil until one is chosen by the first row.
  private var tenant: String?
  private var columns: CSVColumns?

  /// - Parameter tenant: takes only this tenant's rows of the Rust server; nil takes those of the first.
  public init(_ format: TransferFormat, tenant: String? = nil) {
    self.format = format
    self.tenant = tenant
  }

  /// The registration in a record; nil for a line with the names of columns.
  public mutating func decode(_ record: RecordSplitter.Record) throws(TransferError) -> ImportedRegistration?
  {
    guard !record.isTooLong else { throw TransferError("is too long for a registration") }
    switch format {
    case .jsonLines: return try Self.registration(try Self.jsonFields(record.bytes))
    case .csv: return try csvRegistration(record.bytes)
    }
  }

  // MARK: JSON lines

  private static func jsonFields(_ bytes: [UInt8]) throws(TransferError) -> [TransferField: String] {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSON.parse(bytes)
    } catch {
      throw TransferError("is \(error)")
    }
    guard let object = value.objectValue else { throw TransferError("is no JSON object") }
    var fields: [TransferField: String] = [:]
    for field in TransferField.allCases {
      switch object[field.rawValue] {
      case nil, .null: continue
      case .string(let text): fields[field] = text
      case .bool(let flag): fields[field] = flag ? "true" : "false"
      case .number(let number): fields[field] = number.literal
      case .array, .object: throw TransferError("has a \(field.rawValue) of the wrong type")
      }
    }
    return fields
  }

  // MARK: CSV

  private mutating func csvRegistration(_ bytes: [UInt8]) throws(TransferError) -> ImportedRegistration? {
    let fields = try CSV.fields(bytes)
    let columns: CSVColumns
    if let known = self.columns {
      columns = known
    } else {
      let (found, isHeader) = try CSVColumns.recognise(fields)
      self.columns = found
      if isHeader { return nil }
      columns = found
    }
    guard fields.count == columns.count else {
      throw TransferError("has \(fields.count) fields instead of \(columns.count)")
    }
    switch columns.table {
    case .pushbox: return try Self.registration(columns.values(fields))
    case .rustClients:
      let row = RustClientRow(columns, fields)
      if let rowTenant = row.tenant {
        let wanted = tenant ?? rowTenant
        tenant = wanted
        guard rowTenant == wanted else {
          throw TransferError(
            "belongs to tenant \(rowTenant.prefix(8))…, taken are those of \(wanted.prefix(8))… (--tenant)")
        }
      }
      return try Self.registration(try row.fields())
    }
  }

  // MARK: Meaning

  private static func registration(
    _ fields: [TransferField: String]
  ) throws(TransferError) -> ImportedRegistration {
    func required(_ field: TransferField) throws(TransferError) -> String {
      guard let text = fields[field], !text.isEmpty else { throw TransferError("has no \(field.rawValue)") }
      return text
    }
    let key: ClientKey
    do {
      let client = try ClientID(try required(.clientID))
      key = try ClientKey(app: fields[.app] ?? ClientKey.defaultApp, client: client.text)
    } catch {
      throw TransferError("cannot be used: \(error)")
    }
    let type = try required(.type)
    guard let kind = TokenKind(name: type) else {
      throw TransferError("has type \(TransferError.shown(type)), expected apns, apns-sandbox or fcm")
    }
    let token = fields[.token] ?? ""
    if let problem = Registration.problem(ofToken: token) {
      throw TransferError("has a token that \(problem)")
    }
    let createdAt = try time(fields[.createdAt], .createdAt) ?? 0
    let reason = fields[.tombstoneReason].flatMap { $0.isEmpty ? nil : $0 }
    let died = try time(fields[.tombstoneTime], .tombstoneTime)
    return ImportedRegistration(
      registration: Registration(
        key: key, kind: kind, token: token, alwaysRaw: try flag(fields[.alwaysRaw], .alwaysRaw),
        authenticated: try flag(fields[.authenticated], .authenticated)),
      createdAt: createdAt, updatedAt: try time(fields[.updatedAt], .updatedAt) ?? createdAt,
      tombstone: died.map { Tombstone(reason: reason ?? "", time: $0) })
  }

  private static func flag(_ text: String?, _ field: TransferField) throws(TransferError) -> Bool {
    switch text {
    case "true", "t": true
    case "false", "f", "", nil: false
    default: throw TransferError("has an \(field.rawValue) that is neither true nor false")
    }
  }

  private static func time(_ text: String?, _ field: TransferField) throws(TransferError) -> UInt64? {
    guard let text, !text.isEmpty else { return nil }
    guard let milliseconds = UInt64(text) else {
      throw TransferError("has a \(field.rawValue) that is no number of milliseconds since the epoch")
    }
    return milliseconds
  }
}

/// A row of the Rust push server's `clients` table.
struct RustClientRow {
  /// Its `provider` enum and what our types are called. `noop` is for its tests.
  static let types = ["fcm": "fcm", "apns": "apns", "apnssandbox": "apns-sandbox", "noop": nil]

  private let columns: CSVColumns
  private let values: [String]

  init(_ columns: CSVColumns, _ values: [String]) {
    self.columns = columns
    self.values = values
  }

  /// nil when the dump has no such column.
  var tenant: String? { columns.value("tenant_id", values) }

  /// The row in our terms. It has no time of its last registration: that of the first stands in.
  func fields() throws(TransferError) -> [TransferField: String] {
    var fields: [TransferField: String] = [:]
    fields[.clientID] = columns.value("id", values)
    let type = columns.value("push_type", values) ?? ""
    guard let known = Self.types[type] else {
      throw TransferError("has push_type \(TransferError.shown(type)), expected fcm, apns or apnssandbox")
    }
    guard let name = known else { throw TransferError("has push_type noop, which delivers nothing") }
    fields[.type] = name
    fields[.token] = columns.value("device_token", values)
    fields[.alwaysRaw] = columns.value("always_raw", values)
    if let text = columns.value("created_at", values), !text.isEmpty {
      guard let time = PostgresTimestamp.milliseconds(text) else {
        throw TransferError("has a created_at that is no time such as 2023-11-14 09:12:33.123456+00")
      }
      fields[.createdAt] = "\(time)"
    }
    return fields
  }
}

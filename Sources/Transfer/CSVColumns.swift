/// What the columns of a CSV file mean.
struct CSVColumns: Sendable {
  enum Table: Sendable {
    case pushbox
    /// The Rust push server's `clients` table.
    case rustClients
  }

  let table: Table
  private let names: [String]

  var count: Int { names.count }

  /// The columns of the Rust server's table in the order its migrations made them (`create-clients`,
  /// `add-tenant-id`, `add_always_raw_to_clients`): those of a dump without names.
  private static let rustOrder = ["id", "push_type", "device_token", "created_at", "tenant_id", "always_raw"]

  /// Reads the first record of a file. Whether it is a line of names.
  static func recognise(_ fields: [String]) throws(TransferError) -> (CSVColumns, isHeader: Bool) {
    let names = fields.map { $0.lowercased() }
    let known = Set(names)
    if known.isSuperset(of: ["client_id", "type", "token"]) {
      return (CSVColumns(table: .pushbox, names: names), true)
    }
    if known.isSuperset(of: ["id", "push_type", "device_token"]) {
      return (CSVColumns(table: .rustClients, names: names), true)
    }
    if fields.count == rustOrder.count, RustClientRow.types[fields[1]] != nil {
      return (CSVColumns(table: .rustClients, names: rustOrder), false)
    }
    throw TransferError(
      "names no columns that are known: expected client_id, type and token, or id, push_type and device_token"
    )
  }

  /// The value in a column; nil when there is no such column.
  func value(_ name: String, _ fields: [String]) -> String? {
    names.firstIndex(of: name).flatMap { fields.indices.contains($0) ? fields[$0] : nil }
  }

  func values(_ fields: [String]) -> [TransferField: String] {
    var values: [TransferField: String] = [:]
    for field in TransferField.allCases { values[field] = value(field.rawValue, fields) }
    return values
  }
}

import JSON
import Store

/// Writes registrations, device tokens in clear.
public struct RegistrationEncoder: Sendable {
  private let format: TransferFormat

  public init(_ format: TransferFormat) {
    self.format = format
  }

  /// What a file begins with.
  public var header: [UInt8] {
    switch format {
    case .jsonLines: []
    case .csv: Array((TransferField.allCases.map(\.rawValue).joined(separator: ",") + "\n").utf8)
    }
  }

  /// Appends a line.
  public func append(_ record: ClientRecord, to out: inout [UInt8]) {
    switch format {
    case .jsonLines: Self.appendJSON(record, to: &out)
    case .csv: Self.appendCSV(record, to: &out)
    }
  }

  private static func appendJSON(_ record: ClientRecord, to out: inout [UInt8]) {
    let summary = record.summary
    var writer = JSONWriter()
    writer.beginObject()
    writer.member(TransferField.app.rawValue, summary.key.appID)
    writer.member(TransferField.clientID.rawValue, summary.key.clientID)
    writer.member(TransferField.type.rawValue, summary.kind.name)
    writer.member(TransferField.token.rawValue, record.token)
    writer.member(TransferField.alwaysRaw.rawValue, summary.alwaysRaw)
    writer.member(TransferField.authenticated.rawValue, summary.authenticated)
    writer.member(TransferField.createdAt.rawValue, summary.createdAt)
    writer.member(TransferField.updatedAt.rawValue, summary.updatedAt)
    if let tombstone = summary.tombstone {
      writer.member(TransferField.tombstoneReason.rawValue, tombstone.reason)
      writer.member(TransferField.tombstoneTime.rawValue, tombstone.time)
    }
    writer.endObject()
    out.append(contentsOf: writer.bytes)
    out.append(UInt8(ascii: "\n"))
  }

  private static func appendCSV(_ record: ClientRecord, to out: inout [UInt8]) {
    let summary = record.summary
    let tombstone = summary.tombstone
    let fields = [
      summary.key.appID, summary.key.clientID, summary.kind.name, record.token, "\(summary.alwaysRaw)",
      "\(summary.authenticated)", "\(summary.createdAt)", "\(summary.updatedAt)", tombstone?.reason ?? "",
      tombstone.map { "\($0.time)" } ?? "",
    ]
    for (index, field) in fields.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      CSV.append(field, to: &out)
    }
    out.append(UInt8(ascii: "\n"))
  }
}

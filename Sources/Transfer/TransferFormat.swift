/// How registrations are written to a file.
public enum TransferFormat: String, Sendable, CaseIterable {
  /// A JSON object a line.
  case jsonLines = "jsonl"
  /// RFC 4180, the first line names the columns.
  case csv

  /// The format that the end of a file's name stands for; nil when it says nothing.
  public init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    switch fileName[dot...].lowercased() {
    case ".csv": self = .csv
    case ".jsonl", ".ndjson": self = .jsonLines
    default: return nil
    }
  }
}

/// The names of members and columns, in the order they are written.
enum TransferField: String, CaseIterable {
  case app
  case clientID = "client_id"
  case type
  case token
  case alwaysRaw = "always_raw"
  case authenticated
  case createdAt = "created_at"
  case updatedAt = "updated_at"
  case tombstoneReason = "tombstone_reason"
  case tombstoneTime = "tombstone_time"
}

/// Why a line is no registration, in words. Never holds a device token.
public struct TransferError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }

  /// The text of a field that should hold a word, for a message. Where columns are shifted it may be a device token,
  /// which is not shown: the words that are expected are short, and hold neither digits nor much else.
  static func shown(_ field: String) -> String {
    let isWord =
      field.utf8.count <= 20
      && field.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "_")
      }
    return isWord && !field.isEmpty ? field : "of \(field.utf8.count) bytes that is none"
  }
}

/// Cuts a file into records: lines, and in CSV lines that belong together by their quotes.
public struct RecordSplitter: Sendable {
  public struct Record: Equatable, Sendable {
    /// Of its first line, from 1.
    public var line: Int
    /// Without the line end. Cut off when `isTooLong`.
    public var bytes: [UInt8]
    public var isTooLong: Bool
  }

  /// No registration is longer.
  private static let limit = 64 << 10
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private let hasQuotes: Bool
  private var pending: [UInt8] = []
  private var isQuoted = false
  private var isTooLong = false
  private var line = 1
  private var firstLine = 1

  public init(_ format: TransferFormat) {
    hasQuotes = format == .csv
  }

  /// Takes the next bytes of the file; the records that they end.
  public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Record] {
    var records: [Record] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        line += 1
        if !isQuoted {
          if let record = take() { records.append(record) }
          continue
        }
      }
      if hasQuotes, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard pending.count < Self.limit else {
        // A quote that never ends must not swallow the rest of the file.
        isTooLong = true
        isQuoted = false
        continue
      }
      pending.append(byte)
    }
    return records
  }

  /// The last record, when the file does not end with a line end.
  public mutating func finish() -> Record? { take() }

  /// nil for a blank line.
  private mutating func take() -> Record? {
    if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
    // Spreadsheets begin a file with a byte order mark.
    if firstLine == 1, pending.starts(with: Self.byteOrderMark) {
      pending.removeFirst(Self.byteOrderMark.count)
    }
    defer {
      pending.removeAll(keepingCapacity: true)
      isQuoted = false
      isTooLong = false
      firstLine = line
    }
    return pending.isEmpty ? nil : Record(line: firstLine, bytes: pending, isTooLong: isTooLong)
  }
}

import Glibc
import Store
import Transfer

/// Reads a file of registrations, in batches, and keeps account of every line.
struct ImportRun {
  /// Registrations stored in one transaction: a server's writes wait that long.
  private static let batchSize = 500
  /// Refused lines that are named; the rest is counted.
  private static let namedRefusals = 100

  private let target: any ImportTarget
  private var splitter: RecordSplitter
  private var decoder: RegistrationDecoder
  private var progress: ProgressBar
  private var batch: [ImportedRegistration] = []
  /// The line of the first registration in the batch.
  private var batchLine = 1
  private var stored = 0
  private var kept = 0
  private var refused = 0

  /// - Parameter size: bytes of the file, when they are known.
  init(target: any ImportTarget, format: TransferFormat, tenant: String?, size: Int?) {
    self.target = target
    splitter = RecordSplitter(format)
    decoder = RegistrationDecoder(format, tenant: tenant)
    progress = ProgressBar(total: size)
  }

  mutating func read(_ input: InputFile) throws(StoreCommand.Failure) {
    while let bytes = try input.read() {
      for record in splitter.feed(bytes) { try take(record) }
      progress.advance(bytes.count, "\(stored + kept) registrations")
    }
    if let last = splitter.finish() { try take(last) }
    try store()
    progress.clear()
  }

  /// Prints the account; the exit status.
  func conclude(isDryRun: Bool, isJSON: Bool) -> Int32 {
    if refused > Self.namedRefusals {
      Terminal.printError("and \(refused - Self.namedRefusals) more lines")
    }
    let verb = isDryRun ? "would be stored" : "stored"
    Terminal.print(
      isJSON
        ? "{\"stored\":\(stored),\"kept\":\(kept),\"refused\":\(refused)}"
        : "\(stored) \(verb), \(kept) were there already or are older, \(refused) lines refused")
    guard stored + kept > 0 else {
      Terminal.printError("error: the file holds no registrations that can be used")
      return 1
    }
    return refused == 0 ? 0 : 1
  }

  private mutating func take(_ record: RecordSplitter.Record) throws(StoreCommand.Failure) {
    do throws(TransferError) {
      guard let registration = try decoder.decode(record) else { return }
      if batch.isEmpty { batchLine = record.line }
      batch.append(registration)
    } catch {
      refused += 1
      guard refused <= Self.namedRefusals else { return }
      progress.clear()
      Terminal.printError("line \(record.line) \(error)")
    }
    if batch.count == Self.batchSize { try store() }
  }

  private mutating func store() throws(StoreCommand.Failure) {
    guard !batch.isEmpty else { return }
    do throws(StoreError) {
      for outcome in try target.store(batch) {
        if outcome == .stored { stored += 1 } else { kept += 1 }
      }
    } catch {
      progress.clear()
      throw StoreCommand.Failure(
        "stopped before line \(batchLine): \(error); what was stored stays (\(stored)), run it again")
    }
    batch.removeAll(keepingCapacity: true)
  }
}

import Glibc
import Store
import Transfer

/// `pushbox export`: every registration as text, device tokens in clear.
enum ExportCommand {
  private static let syntax = CommandSyntax(
    help: """
      Usage: pushbox export [--format jsonl|csv] [--output FILE] [--config FILE]

      Writes every registration, for `pushbox import` or another server. A server may be running.
      DEVICE TOKENS ARE WRITTEN IN CLEAR: that is what a migration needs. FILE is made readable by its
      owner only and must not exist; without --output it goes to standard output.

        --format   jsonl: a JSON object a line; csv: with a line of names. By default what FILE ends
                   with, else jsonl.
      """, options: ["format", "output"])

  static let command = Command(
    name: "export", summary: "write all registrations as JSON lines or CSV, device tokens in clear",
    syntax: StoreCommand.withConfig(syntax), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    StoreCommand.run(syntax, arguments) { (arguments, settings) throws(StoreCommand.Failure) in
      let path = arguments.options["output"]
      let format = try TransferFormat.chosen(arguments.options["format"], path)
      let store = try StoreCommand.openTool(settings)
      let output = try StoreCommand.perform { () throws(StoreError) in try OutputFile(path) }
      let count = try write(store, RegistrationEncoder(format), output)
      try StoreCommand.perform { () throws(StoreError) in try output.finish() }
      Terminal.printError("exported \(count) registrations; their device tokens are in clear: keep them safe")
      return 0
    }
  }

  private static func write(
    _ store: Store, _ encoder: RegistrationEncoder, _ output: OutputFile
  ) throws(StoreCommand.Failure) -> Int {
    let reader = try StoreCommand.reader(store)
    var count = 0
    let counts = try StoreCommand.perform { () throws(StoreError) in try reader.counts() }
    var progress = ProgressBar(total: Int(clamping: counts.totalActive + counts.totalTombstoned))
    defer { progress.clear() }
    var buffer = encoder.header
    try StoreCommand.perform { () throws(StoreError) in
      try reader.forEachRecord { (record) throws(StoreError) in
        encoder.append(record, to: &buffer)
        count += 1
        progress.advance(1, "\(count) registrations")
        guard buffer.count >= 1 << 16 else { return true }
        try output.write(buffer)
        buffer.removeAll(keepingCapacity: true)
        return true
      }
      try output.write(buffer)
    }
    return count
  }
}

extension TransferFormat {
  /// The format of `--format`, else of a file's name, else JSON lines.
  static func chosen(_ name: String?, _ path: String?) throws(StoreCommand.Failure) -> TransferFormat {
    guard let name else { return path.flatMap { TransferFormat(fileName: $0) } ?? .jsonLines }
    guard let format = TransferFormat(rawValue: name) else {
      throw StoreCommand.Failure("--format must be jsonl or csv, not \(name)", status: 2)
    }
    return format
  }
}

/// A new file, or standard output.
struct OutputFile {
  private let file: NewFile?

  /// - Parameter path: must not exist; nil for standard output.
  init(_ path: String?) throws(StoreError) {
    file = if let path { try NewFile(path) } else { nil }
  }

  func write(_ bytes: [UInt8]) throws(StoreError) {
    if let file { return try file.write(bytes) }
    guard Terminal.write(bytes[...], to: STDOUT_FILENO) else {
      throw .system(operation: "writing", path: "standard output", code: errno)
    }
  }

  /// Waits for the disk and gives the file its name.
  func finish() throws(StoreError) { try file?.finish() }
}

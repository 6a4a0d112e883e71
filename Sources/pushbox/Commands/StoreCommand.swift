import Configuration
import EventLoop
import Glibc
import Store

/// What the commands that work on the store share.
enum StoreCommand {
  /// Why a command ends early: what to print and the exit status.
  struct Failure: Error {
    var message: String
    var status: Int32 = 1

    init(_ message: String, status: Int32 = 1) {
      self.message = message
      self.status = status
    }
  }

  /// Reads the arguments and the configuration, then runs `body` on the store's settings.
  static func run(
    _ syntax: CommandSyntax, _ arguments: ArraySlice<String>,
    _ body: (CommandSyntax.Arguments, Configuration.Store) throws(Failure) -> Int32
  ) -> Int32 {
    switch withConfig(syntax).read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments):
      guard let loaded = ConfigurationOption.configuration(file: arguments.options["config"]) else {
        return 2
      }
      do throws(Failure) {
        return try body(arguments, loaded.configuration.store)
      } catch {
        if !error.message.isEmpty { Terminal.printError("error: \(error.message)") }
        return error.status
      }
    }
  }

  /// `syntax` with the option that all of them take.
  static func withConfig(_ syntax: CommandSyntax) -> CommandSyntax {
    var syntax = syntax
    syntax.options.insert("config")
    return syntax
  }

  /// Opens the store beside a server, if one runs.
  static func openTool(_ settings: Configuration.Store) throws(Failure) -> Store {
    try openToolWithCipher(settings).store
  }

  static func openToolWithCipher(_ settings: Configuration.Store) throws(Failure) -> StoreOpening.Opened {
    do throws(ServerError) {
      return try StoreOpening.openForTool(settings)
    } catch {
      throw Failure("\(error)")
    }
  }

  static func reader(_ store: Store) throws(Failure) -> StoreReader {
    try perform { () throws(StoreError) in try store.makeReader() }
  }

  /// Runs `body` with the store's errors as failures.
  static func perform<Value>(_ body: () throws(StoreError) -> Value) throws(Failure) -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      throw Failure("\(error)")
    }
  }

  /// Waits for what `submit` answers.
  static func wait<Value: Sendable>(
    _ submit: (@escaping Store.Completion<Value>) -> Void
  ) throws(StoreError) -> Value {
    let answer = Rendezvous<Result<Value, StoreError>>()
    submit { answer.give($0) }
    return try answer.wait().get()
  }

  /// Registrations by type in words.
  static func text(_ counts: RegistrationCounts) -> String {
    let kinds = TokenKind.allCases.map { "\(counts.active[$0] ?? 0) \($0.name)" }.joined(separator: ", ")
    return "\(counts.totalActive) registrations (\(kinds)) and \(counts.totalTombstoned) with a dead token"
  }

  static func now() -> UInt64 { UInt64(clamping: time(nil)) }
}

import Bytes
import Glibc
import Synchronization

/// How grave a record is.
public enum LogLevel: UInt8, Sendable, Comparable, CaseIterable {
  case debug, info, warning, error

  /// The level's name in lower case, as configuration and records spell it.
  public var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }

  /// The level called `name`; nil when there is none.
  public init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// How a record is written.
public enum LogFormat: String, Sendable, CaseIterable {
  /// `<time> <level> <message> key=value …`
  case text
  /// `{"time":…,"level":…,"message":…,"key":value,…}`
  case json
}

/// A log of one line a record. Any thread.
///
/// What comes from outside belongs in a field, not in the message: fields are quoted, and in both formats no
/// character can end a line or steer a terminal.
public final class Log: Sendable {
  /// Takes one whole record, line feed included.
  public typealias Sink = @Sendable (_ line: [UInt8]) -> Void

  private let minimum: Atomic<UInt8>
  private let writesJSON: Atomic<Bool>
  private let clock: @Sendable () -> Int64
  private let sink: Sink
  private let names = Locked(Pseudonyms.random())

  /// - Parameters:
  ///   - level: what is less grave is dropped without being built.
  ///   - clock: gives milliseconds since the epoch.
  ///   - sink: where records go; standard error by default.
  public init(
    level: LogLevel = .info, format: LogFormat = .text,
    clock: @escaping @Sendable () -> Int64 = RFC3339.now, sink: @escaping Sink = Log.standardError
  ) {
    minimum = Atomic(level.rawValue)
    writesJSON = Atomic(format == .json)
    self.clock = clock
    self.sink = sink
  }

  /// What is less grave is dropped. May change at any time.
  public var level: LogLevel {
    get { LogLevel(rawValue: minimum.load(ordering: .relaxed)) ?? .info }
    set { minimum.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// How records are written. May change at any time.
  public var format: LogFormat {
    get { writesJSON.load(ordering: .relaxed) ? .json : .text }
    set { writesJSON.store(newValue == .json, ordering: .relaxed) }
  }

  /// What stands for client IDs. By default other ones with each start.
  public var pseudonyms: Pseudonyms {
    get { names.withLock { $0 } }
    set { names.withLock { $0 = newValue } }
  }

  /// For a level that is known at run time only.
  public func log(
    _ level: LogLevel, _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    write(level, message, fields)
  }

  public func debug(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    write(.debug, message, fields)
  }

  public func info(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    write(.info, message, fields)
  }

  public func warning(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    write(.warning, message, fields)
  }

  public func error(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    write(.error, message, fields)
  }

  private func write(
    _ level: LogLevel, _ message: () -> String, _ fields: () -> KeyValuePairs<String, LogValue>
  ) {
    guard level.rawValue >= minimum.load(ordering: .relaxed) else { return }
    var record = LogRecord(format: format, pseudonyms: pseudonyms)
    record.begin(milliseconds: clock(), level: level, message: message())
    for (key, value) in fields() { record.field(key, value) }
    sink(record.end())
  }

  /// Writes a line to standard error, in one `write(2)` unless the kernel takes less. A line that can't be
  /// written is lost: there is no better place to say so.
  public static let standardError: Sink = { line in
    var written = 0
    while written < line.count {
      let count = line[written...].withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        return
      }
    }
  }
}

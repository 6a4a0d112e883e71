import Bytes
import Configuration
import Telemetry

/// Replaces the configuration of a running server. Any thread but the workers', one at a time.
final class Reloader: Sendable {
  private let server: Server
  private let source: ConfigurationSource
  private let notifier: ServiceNotifier
  private let keeper: SocketKeeper
  private let log: Log
  private let current: Locked<ReloadState>
  /// What is in effect.
  private let loaded: Locked<ConfigurationSource.Loaded>

  /// - Parameter loaded: what `server` was started with.
  init(
    _ server: Server, _ source: ConfigurationSource, _ loaded: ConfigurationSource.Loaded,
    notifier: ServiceNotifier, keeper: SocketKeeper, log: Log
  ) {
    self.server = server
    self.source = source
    self.notifier = notifier
    self.keeper = keeper
    self.log = log
    self.loaded = Locked(loaded)
    current = Locked(
      ReloadState(file: source.file, loadedAt: RFC3339.now(), contentHash: loaded.contentHash))
  }

  var state: ReloadState { current.withLock { $0 } }

  /// Whether the file is another one than that in effect, or gone.
  var differsOnDisk: Bool {
    source.file != nil && source.currentHash() != state.contentHash
  }

  /// The files to watch, when the configuration in effect wants that.
  var watchedFiles: [String]? {
    let configuration = server.configuration
    guard configuration.server.watchConfig else { return nil }
    return (source.file.map { [$0] } ?? []) + configuration.keyFiles
  }

  /// Reads the configuration anew and puts it into effect. When anything is wrong nothing changes: the result, the
  /// log and `state` say why.
  @discardableResult
  func reload() -> ReloadOutcome {
    notifier.reloading()
    do throws(ConfigurationError) {
      let loaded = try source.load()
      let before = server.addresses.map(\.address)
      do throws(ServerError) {
        try server.reload(loaded.configuration, loaded.credentials)
      } catch {
        return fail([error.description])
      }
      let now = server.addresses.map(\.address)
      keeper.forget(before.filter { !now.contains($0) })
      keeper.keep(server.listeningSockets)
      return succeed(loaded)
    } catch {
      return fail(error.problems.map(\.description))
    }
  }

  private func succeed(_ loaded: ConfigurationSource.Loaded) -> ReloadOutcome {
    let changes = self.loaded.withLock { inEffect in
      let changes = loaded.changes(since: inEffect)
      inEffect = loaded
      return changes
    }
    let settings = loaded.configuration.log
    log.level = settings.logLevel
    log.format = settings.logFormat
    for warning in loaded.warnings { log.warning("configuration: \(warning)") }
    let state = current.withLock { state in
      state = ReloadState(
        file: state.file, loadedAt: RFC3339.now(), contentHash: loaded.contentHash,
        generation: state.generation + 1, attempts: state.attempts + 1)
      return state
    }
    log.info(
      "configuration reloaded",
      [
        "configuration": .string(source.file ?? "environment"), "generation": .number(state.generation),
        "sha256": .string(loaded.contentHash ?? ""), "changes": .number(changes.count),
        "attempt": .number(state.attempts),
      ])
    notifier.ready("serving")
    return ReloadOutcome(changes: changes, warnings: loaded.warnings.map(\.description))
  }

  private func fail(_ problems: [String]) -> ReloadOutcome {
    for problem in problems { log.error("configuration: \(problem)") }
    let attempts = current.withLock { state in
      state.problems = problems
      state.failedAt = RFC3339.now()
      state.attempts += 1
      return state.attempts
    }
    log.error(
      "configuration not reloaded: the one that was in effect goes on",
      ["problems": .number(problems.count), "attempt": .number(attempts)])
    notifier.ready("serving; the last reload changed nothing: \(problems.first ?? "")")
    return ReloadOutcome(problems: problems)
  }
}

extension Configuration.Log {
  var logLevel: LogLevel { LogLevel(name: level.rawValue) ?? .info }
  var logFormat: LogFormat { LogFormat(rawValue: format.rawValue) ?? .text }
}

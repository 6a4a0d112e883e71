import Configuration
import EventLoop
import Glibc
import Telemetry

/// `pushbox serve`: runs until SIGTERM or SIGINT; SIGHUP reloads the configuration.
enum ServeCommand {
  static let command = Command(
    name: "serve", summary: "serve until SIGTERM; SIGHUP or pushbox reload reloads the configuration",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox serve [--config FILE]

        Takes registrations and pushes until SIGTERM or SIGINT, then finishes what is under way, for
        server.shutdown_grace_ms at most. A second signal ends it at once. SIGHUP and `pushbox reload`
        reload the configuration; a bad one changes nothing. Speaks the protocol of Type=notify to
        systemd, takes listening sockets from it (pushbox.socket) and leaves its own there over a
        restart.
        """, options: ["config"]), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    let source: ConfigurationSource
    switch command.syntax.read(arguments) {
    case .exit(let status): return status
    case .arguments(let arguments): source = ConfigurationOption.source(arguments)
    }
    guard let loaded = ConfigurationOption.load(source) else { return 2 }
    let configuration = loaded.configuration
    let log = Log(level: configuration.log.logLevel, format: configuration.log.logFormat)
    for warning in loaded.warnings { log.warning("configuration: \(warning)") }
    if !configuration.relay.validateSignatures {
      log.warning("relay signatures are not verified: anyone can push to your users; for tests only")
    }
    do throws(ServerError) {
      let inherited = InheritedSockets(source.environment)
      let breakdown = Breakdown()
      let notifier = ServiceNotifier(environment: source.environment)
      let migration = MigrationNotice(log: log, notifier: notifier)
      let server = try Server(
        configuration, loaded.credentials, inherited: inherited, log: log,
        onMigration: { migration.note($0) },
        breakdown: breakdown)
      for place in server.addresses {
        log.info("listening", ["address": "\(place.address)", "for": .string(place.role)])
      }
      DescriptorLimit.raise(for: configuration.server.maxConnections, log: log)
      let keeper = SocketKeeper(notifier: notifier, excluded: inherited.unitAddresses)
      keeper.forget(inherited.obsolete(server.addresses.map(\.address)))
      keeper.keep(server.listeningSockets)
      let reloader = Reloader(server, source, loaded, notifier: notifier, keeper: keeper, log: log)
      let loop = try signalLoop()
      let console = AdminConsole(server, reloader, loop: loop)
      // It is held weakly, so that it goes with this loop.
      defer { withExtendedLifetime(console) {} }
      // Before it is said that pushbox serves: the admin page is a part of that.
      server.admin.use(console)
      log.info(
        "pushbox \(Version.text) serves",
        [
          "push_url": "\(configuration.server.publicURL)",
          "configuration": .string(source.file ?? "environment"),
          "store": .string(configuration.store.path),
        ])
      notifier.ready("serving")
      let watchdog = Watchdog(
        source.environment, watching: server.loops, process: getpid(), beat: { notifier.alive() })
      let signal = try waitForEnd(
        loop, reloader, file: source.file, CertificateReloader(server: server, log: log), breakdown, watchdog,
        log)
      notifier.stopping()
      if let reason = breakdown.reason {
        log.error("stopping, for the service manager to start pushbox anew: \(reason)")
      } else {
        log.info("stopping: finishing what is under way", ["signal": .number(signal)])
      }
      // A second one ends the process at once.
      SignalSource.unblock([SIGTERM, SIGINT])
      server.stop()
      log.info("stopped")
      return breakdown.reason == nil ? 0 : 1
    } catch {
      log.error("cannot serve: \(error)")
      return 1
    }
  }

  /// For signals, reloads and the watchdog.
  private static func signalLoop() throws(ServerError) -> EventLoop {
    do throws(SystemError) {
      return try EventLoop()
    } catch {
      throw ServerError("no signals: \(error)")
    }
  }

  /// Runs the loop on this thread until a signal that ends the process, or a breakdown; the signal.
  private static func waitForEnd(
    _ loop: EventLoop, _ reloader: Reloader, file: String?, _ certificates: CertificateReloader,
    _ breakdown: Breakdown, _ watchdog: Watchdog?, _ log: Log
  ) throws(ServerError) -> Int32 {
    do throws(SystemError) {
      watchdog?.start(on: loop)
      var received: Int32 = 0
      let source = try SignalSource(loop: loop, signals: [SIGTERM, SIGINT, SIGHUP]) { signal in
        if signal == SIGHUP {
          reloader.reload()
        } else {
          received = signal
          loop.stop()
        }
      }
      ConfigurationWatch(
        loop: loop, files: { reloader.watchedFiles }, isOutdated: { reloader.differsOnDisk },
        onChange: { reloader.reload() }
      ).start()
      certificates.start(on: loop)
      let channel = ReloadChannel.serve(file: file, on: loop, log: log) { reloader.reload() }
      breakdown.observe { loop.execute { loop.stop() } }
      loop.run()
      channel?.close()
      source.cancel()
      return received
    } catch {
      throw ServerError("no signals: \(error)")
    }
  }
}

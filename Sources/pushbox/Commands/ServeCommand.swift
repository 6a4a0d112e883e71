import Configuration
import EventLoop
import Glibc
import Telemetry

/// `pushbox serve`: runs until SIGTERM or SIGINT; SIGHUP reloads the configuration.
enum ServeCommand {
  static func run(_ arguments: [String]) -> Int32 {
    var arguments = arguments
    guard let source = ConfigurationOption.take(from: &arguments), arguments.isEmpty else {
      Terminal.printError("Usage: pushbox serve [--config FILE]")
      return 2
    }
    guard let loaded = ConfigurationOption.load(source) else { return 2 }
    let configuration = loaded.configuration
    let log = Log(level: configuration.log.logLevel, format: configuration.log.logFormat)
    for warning in loaded.warnings { log.warning("configuration: \(warning)") }
    if !configuration.relay.validateSignatures {
      log.warning("relay signatures are not verified: anyone can push to your users; for tests only")
    }
    do throws(ServerError) {
      let breakdown = Breakdown()
      let server = try Server(configuration, loaded.credentials, log: log, breakdown: breakdown)
      for address in server.addresses { log.info("listening", ["address": "\(address)"]) }
      log.info(
        "pushbox \(Version.text) serves",
        [
          "push_url": "\(configuration.server.publicURL)",
          "configuration": .string(source.file ?? "environment"),
          "store": .string(configuration.store.path),
        ])
      let notifier = ServiceNotifier(environment: source.environment)
      notifier.ready("serving")
      let signal = try waitForEnd(
        Reloader(server, source, loaded, notifier: notifier, log: log), breakdown)
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

  /// Runs a loop for signals on this thread until one that ends the process, or a breakdown; the signal.
  private static func waitForEnd(
    _ reloader: Reloader, _ breakdown: Breakdown
  ) throws(ServerError) -> Int32 {
    do throws(SystemError) {
      let loop = try EventLoop()
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
      breakdown.observe { loop.execute { loop.stop() } }
      loop.run()
      source.cancel()
      return received
    } catch {
      throw ServerError("no signals: \(error)")
    }
  }
}

import Configuration
import EventLoop
import Glibc
import Telemetry

/// `pushbox serve`: runs until SIGTERM or SIGINT.
enum ServeCommand {
  static func run(_ arguments: ArraySlice<String>) -> Int32 {
    guard let loaded = ConfigurationOption.load(arguments, command: "serve") else { return 2 }
    let configuration = loaded.configuration
    let log = Log(
      level: LogLevel(name: configuration.log.level.rawValue) ?? .info,
      format: LogFormat(rawValue: configuration.log.format.rawValue) ?? .text)
    for warning in loaded.warnings { log.warning("configuration: \(warning)") }
    if !configuration.relay.validateSignatures {
      log.warning("relay signatures are not verified: anyone can push to your users; for tests only")
    }
    do throws(ServerError) {
      let server = try Server(configuration, loaded.credentials, log: log)
      for address in server.addresses { log.info("listening", ["address": "\(address)"]) }
      log.info(
        "pushbox \(Version.text) serves",
        [
          "push_url": "\(configuration.server.publicURL)",
          "configuration": .string(loaded.file ?? "environment"),
          "store": .string(configuration.store.path),
        ])
      let signal = try waitForSignal(log)
      log.info("stopping: finishing what is under way", ["signal": .number(signal)])
      // A second one ends the process at once.
      SignalSource.unblock([SIGTERM, SIGINT])
      server.stop()
      log.info("stopped")
      return 0
    } catch {
      log.error("cannot serve: \(error)")
      return 1
    }
  }

  /// Runs a loop for signals on this thread until one that ends the process.
  private static func waitForSignal(_ log: Log) throws(ServerError) -> Int32 {
    do throws(SystemError) {
      let loop = try EventLoop()
      var received: Int32 = 0
      let source = try SignalSource(loop: loop, signals: [SIGTERM, SIGINT, SIGHUP]) { signal in
        if signal == SIGHUP {
          log.warning("SIGHUP: reloading is not supported yet; restart to take a new configuration")
        } else {
          received = signal
          loop.stop()
        }
      }
      loop.run()
      source.cancel()
      return received
    } catch {
      throw ServerError("no signals: \(error)")
    }
  }
}

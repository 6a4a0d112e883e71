import Configuration

/// `pushbox check`: everything `serve` would do before it listens, without a store or a socket.
enum CheckCommand {
  static func run(_ arguments: [String]) -> Int32 {
    var arguments = arguments
    guard let source = ConfigurationOption.take(from: &arguments), arguments.isEmpty else {
      Terminal.printError("Usage: pushbox check [--config FILE]")
      return 2
    }
    guard let loaded = ConfigurationOption.load(source) else { return 2 }
    for warning in loaded.warnings { Terminal.printError("warning: \(warning)") }
    let gateways: GatewayFactory
    do throws(ServerError) {
      gateways = try GatewayFactory(loaded.configuration, loaded.credentials)
    } catch {
      Terminal.printError("error: \(error)")
      return 2
    }
    let server = loaded.configuration.server
    Terminal.print("configuration: \(source.file ?? "environment only")")
    Terminal.print("push URL:      \(server.publicURL)")
    Terminal.print("listen:        \(server.listen.map(\.description).joined(separator: ", "))")
    Terminal.print("store:         \(loaded.configuration.store.path)")
    Terminal.print("device types:  \(gateways.kinds.map(\.name).sorted().joined(separator: ", "))")
    Terminal.print(
      "signatures:    \(loaded.configuration.relay.validateSignatures ? "verified" : "NOT VERIFIED: for tests only")"
    )
    return 0
  }
}

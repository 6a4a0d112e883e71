import MockGateway

/// `pushbox demo`: the main job on loopback, against mock gateways that verify what pushbox sends them.
/// Exit status 0 only when every step went as it should.
enum DemoCommand {
  static let command = Command(
    name: "demo", summary: "play the main job on loopback with mock gateways",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox demo

        Starts a server and mock gateways on loopback, registers devices, sends pushes, and prints what
        happened. Needs no configuration; nothing leaves the machine.
        """), run: { run($0) })

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    if case .exit(let status) = command.syntax.read(arguments) { return status }
    do {
      let stage = try DemoStage()
      defer { stage.tearDown() }
      let transcript = DemoTranscript()
      transcript.introduce(stage)
      try DemoScript(stage: stage, transcript: transcript).play()
      transcript.conclude()
      return transcript.failures == 0 ? 0 : 1
    } catch {
      Terminal.printError("pushbox demo: \(error)")
      return 1
    }
  }
}

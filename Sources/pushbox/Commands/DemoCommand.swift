import MockGateway

/// `pushbox demo`: the main job on loopback, against mock gateways that verify what pushbox sends them.
/// Exit status 0 only when every step went as it should.
enum DemoCommand {
  static func run(_ arguments: ArraySlice<String>) -> Int32 {
    guard arguments.isEmpty else {
      Terminal.printError("Usage: pushbox demo")
      return 2
    }
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

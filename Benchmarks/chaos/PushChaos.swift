import Chaos
import EventLoop
import Glibc

/// `pushchaos [SECONDS [SEED]]`: a pushbox process under load while everything around it goes wrong at random. Ends with 1
/// when a registration or a push is lost, or something hangs.
@main struct PushChaos {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let seconds = arguments.first.flatMap { Int($0) } ?? 600
    do {
      let seed = arguments.dropFirst().first.flatMap { UInt64($0) }
      let run = if let seed { try ChaosRun(seed: seed) } else { try ChaosRun() }
      print("chaos: \(seconds) s, seed \(run.seed)")
      if let missing = run.missing { print("chaos: \(missing)") }
      let faults = try run.run(.seconds(seconds)) { print($0) }
      for fault in faults { print("FAULT: \(fault)") }
      print(faults.isEmpty ? "chaos: good" : "chaos: NOT good")
      exit(faults.isEmpty ? 0 : 1)
    } catch {
      print("chaos: \(error)")
      exit(2)
    }
  }
}

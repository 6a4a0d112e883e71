import Bytes
import EventLoop
import Glibc
import MockGateway
import MockRelay
import TestSupport

/// `pushsiege [SECONDS]`: signed pushes at a steady rate, first in quiet, then with 2,000 idle connections, 500
/// connections whose request never ends, and a flood of wrong signatures. Ends with 1 when a push is not
/// delivered, or when the p99 under siege is five times the quiet one or more.
@main struct PushSiege {
  private static let idle = 2000
  private static let slow = 500
  private static let flooders = 4
  private static let limit = 5.0

  static func main() {
    let seconds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20
    do {
      exit(try run(seconds) ? 0 : 1)
    } catch {
      print("siege: \(error)")
      exit(2)
    }
  }

  private static func run(_ seconds: Int) throws -> Bool {
    raiseDescriptorLimit()
    let target = try SiegeTarget()
    _ = try target.measure(seconds: 2)
    let quiet = try target.measure(seconds: seconds)
    print("quiet:       \(quiet)")
    let forged = try target.forgedRequest()
    let siege = try Siege(port: target.port, idle: idle, slow: slow, flooders: flooders, request: forged)
    _ = try target.measure(seconds: 2)
    let besieged = try target.measure(seconds: seconds)
    print("under siege: \(besieged)")
    let open = siege.idleOpen
    let ratio = Double(besieged.percentile(99)) / Double(max(1, quiet.percentile(99)))
    print("idle connections open: \(open) of \(idle); slow ones ended by the server: \(siege.slowEnded)")
    let answers = siege.floodAnswers.sorted { $0.key < $1.key }.map { "\($0.value) x \($0.key)" }
    print("answers to the flood: \(answers.joined(separator: ", "))")
    siege.lift()
    let hundredths = Int(ratio * 100)
    print(
      "p99 under siege is \(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10) times the quiet one")
    let isGood = quiet.failures == 0 && besieged.failures == 0 && open == idle && ratio < limit
    print(isGood ? "siege: good" : "siege: NOT good")
    return isGood
  }

  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
  }
}

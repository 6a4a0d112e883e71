import EventLoop
import Gateways

/// Asks the gateways themselves. No device gets anything.
enum OnlineChecks {
  /// Seconds that this machine's clock may differ from a gateway's.
  private static let clockTolerance: Int64 = 30
  /// Beyond this a gateway is about to refuse us.
  private static let clockLimit: Int64 = 300

  static func run(_ gateways: GatewayFactory, _ report: inout CheckReport) {
    do throws(SystemError) {
      let loop = try EventLoop()
      var answers: [(name: String, answer: GatewayProbeAnswer)] = []
      var remaining = gateways.kinds.count
      guard remaining > 0 else { return }
      loop.schedule(at: loop.now) {
        gateways.probe(on: loop) { name, answer in
          answers.append((name, answer))
          remaining -= 1
          if remaining == 0 { loop.stop() }
        }
      }
      loop.run()
      for (name, answer) in answers.sorted(by: { $0.name < $1.name }) { judge(name, answer, &report) }
      clock(answers.compactMap { entry in entry.answer.date.map { (entry.name, $0) } }, &report)
    } catch {
      report.fail("online", "\(error)")
    }
  }

  private static func judge(_ name: String, _ answer: GatewayProbeAnswer, _ report: inout CheckReport) {
    let said = answer.status.map { "answered \($0) \(answer.reason)" } ?? "gave no answer"
    switch answer.outcome {
    case .accepted:
      report.ok(name, "takes the credentials (\(said))")
    case .deadToken("DeviceTokenNotForTopic", _):
      report.fail(name, "the topic is wrong (\(said)): it must be the app's bundle ID")
    case .deadToken, .invalidRequest("INVALID_ARGUMENT"):
      report.ok(name, "takes the credentials (\(said), as it should for a made-up device token)")
    case .rejected(let reason, let advice):
      report.fail(name, "\(fault(reason)) (\(answer.status == nil ? reason : said)): \(advice)")
    case .platformRefused(_, let advice):
      report.warn(name, "takes the credentials (\(said)), but: \(advice)")
    case .throttled:
      report.warn(name, throttled(answer.reason, said))
    case .unavailable(let reason, _) where answer.status == nil:
      report.fail(name, "can't be reached: \(reason)")
    case .unreachable(let fault):
      report.fail(name, "can't be reached: \(fault.reason): \(fault.advice)")
    case .timedOut:
      report.fail(name, "can't be reached: no answer in time")
    case .unavailable, .invalidRequest, .payloadTooLarge:
      report.warn(name, "\(said): a fault of the gateway or on the way to it; try again later")
    }
  }

  /// Which of our settings a refusal is about.
  private static func fault(_ reason: String) -> String {
    switch reason {
    case "InvalidProviderToken": "the key, key ID or team ID is wrong"
    case "UnrelatedKeyIdInToken": "the key ID is of another team's or topic's key"
    case "BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken", "BadCertificateEnvironment":
      "the environment is wrong"
    case "TopicDisallowed", "BadTopic", "MissingTopic": "the topic is wrong"
    case "ExpiredProviderToken": "the clock is wrong"
    case "BadCertificate": "the certificate is wrong"
    case "invalid_grant": "the service account's key or the clock is wrong"
    case "NOT_FOUND": "the project is wrong"
    case "PERMISSION_DENIED": "the service account lacks a right"
    default: "the credentials are refused"
    }
  }

  private static func throttled(_ reason: String, _ said: String) -> String {
    reason == "TooManyProviderTokenUpdates"
      ? "\(said): another process uses this key with a token of its own, or the clock is an hour off; wait 20 "
        + "minutes and try again"
      : "\(said): it throttles us; try again later"
  }

  private static func clock(_ dates: [(name: String, date: UInt64)], _ report: inout CheckReport) {
    guard let (name, date) = dates.first else { return }
    let difference = Int64(clamping: WallClock.seconds()) - Int64(clamping: date)
    let words =
      "this machine's clock is \(difference.magnitude) s \(difference > 0 ? "ahead of" : "behind") that of \(name)"
    if difference.magnitude > clockLimit {
      report.fail(
        "clock",
        "\(words): gateways refuse tokens of another time (ExpiredProviderToken, TooManyRequests, "
          + "invalid_grant); switch on time synchronisation, with: timedatectl set-ntp true")
    } else if difference.magnitude > clockTolerance {
      report.warn("clock", "\(words); switch on time synchronisation, with: timedatectl set-ntp true")
    } else {
      report.ok("clock", "agrees with that of \(name)")
    }
  }
}

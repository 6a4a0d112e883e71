import Configuration
import EventLoop
import TLS

/// Looks at the certificate that stands for us at APNs.
enum PushCertificateCheck {
  private static let subject = "apns.certificate"

  static func run(
    _ certificate: Credentials.APNsCertificate, topic: String?, _ report: inout CheckReport
  ) {
    let identity: TLSIdentity
    do throws(ServerError) {
      identity = try GatewayFactory.identity(certificate)
    } catch {
      return report.fail(subject, error.description)
    }
    validity(identity, topic, &report)
    match(identity, topic, &report)
  }

  private static func validity(_ identity: TLSIdentity, _ topic: String?, _ report: inout CheckReport) {
    let name = identity.subjectCommonName ?? "without a name"
    let serves =
      "\(name), topic \(topic ?? identity.subjectUserID ?? "missing"), for \(environments(identity))"
    guard let expiry = identity.expiry else {
      return report.fail(subject, "\(serves): its end cannot be read")
    }
    let seconds = expiry - Int(clamping: WallClock.seconds())
    let days = seconds / 86_400
    if seconds <= 0 {
      report.fail(subject, "\(serves): expired; make a new one in Apple's developer portal")
    } else if days < KeyChecks.expiryWarning {
      report.warn(subject, "\(serves): expires in \(days) days; make a new one in Apple's developer portal")
    } else {
      report.ok(subject, "\(serves): good for \(days) days")
    }
  }

  private static func environments(_ identity: TLSIdentity) -> String {
    let found = identity.pushEnvironments
    return found.isEmpty
      ? "an unknown environment" : found.map(\.rawValue).sorted().joined(separator: " and ")
  }

  /// A certificate of another kind or for another app is refused by APNs.
  private static func match(_ identity: TLSIdentity, _ topic: String?, _ report: inout CheckReport) {
    if let topic, let bundle = identity.subjectUserID, topic != bundle, !topic.hasPrefix(bundle + ".") {
      report.warn(
        "apns.topic", "is \(topic), but the certificate is for \(bundle): APNs will refuse every push")
    }
    let environments = identity.pushEnvironments
    if environments.isEmpty {
      report.warn(
        subject,
        "has no mark of a push certificate: it must be an Apple Push Services certificate, not one for "
          + "signing or distribution")
    } else if !environments.contains(.production) {
      report.warn(subject, "is for the sandbox only: device tokens of type apns will be refused")
    }
  }
}

import JSON

/// What a check found.
struct CheckReport {
  enum Level: String {
    case ok, warning, error

    var colour: Terminal.Colour {
      switch self {
      case .ok: .green
      case .warning: .yellow
      case .error: .red
      }
    }
  }

  struct Finding {
    let level: Level
    /// What was looked at: a key of the configuration, or another short name.
    let subject: String
    let message: String
  }

  private(set) var findings: [Finding] = []

  mutating func ok(_ subject: String, _ message: String) {
    findings.append(Finding(level: .ok, subject: subject, message: message))
  }

  mutating func warn(_ subject: String, _ message: String) {
    findings.append(Finding(level: .warning, subject: subject, message: message))
  }

  mutating func fail(_ subject: String, _ message: String) {
    findings.append(Finding(level: .error, subject: subject, message: message))
  }

  /// 0 good, 1 warnings when `isStrict`, 2 errors.
  func exitStatus(isStrict: Bool) -> Int32 {
    if findings.contains(where: { $0.level == .error }) { return 2 }
    return isStrict && findings.contains { $0.level == .warning } ? 1 : 0
  }

  /// One line a finding, and a line in the end.
  var text: String {
    func count(_ level: Level) -> Int { findings.count { $0.level == level } }
    let lines = findings.map { finding in
      let level = finding.level.rawValue
      return Terminal.paint(level, finding.level.colour)
        + String(repeating: " ", count: 9 - level.utf8.count) + "\(finding.subject): " + finding.message
    }
    let sum = "\(count(.error)) errors, \(count(.warning)) warnings"
    return (lines + [sum]).joined(separator: "\n")
  }

  /// `{"status": "ok" | "warning" | "error", "findings": [{"level", "subject", "message"}, …]}`.
  var json: String {
    let worst: Level =
      findings.contains { $0.level == .error }
      ? .error : findings.contains { $0.level == .warning } ? .warning : .ok
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("status", worst.rawValue)
    writer.key("findings")
    writer.beginArray()
    for finding in findings {
      writer.beginObject()
      writer.member("level", finding.level.rawValue)
      writer.member("subject", finding.subject)
      writer.member("message", finding.message)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.string
  }
}

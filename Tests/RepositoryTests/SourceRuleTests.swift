import Testing

/// What no source of ours may contain.
@Suite struct SourceRuleTests {
  private struct Exception {
    var path: String
    var text: String
    var reason: String
  }

  private static let exceptions = [
    Exception(
      path: "Crypto/SHA256.swift", text: "fatalError(",
      reason: "OpenSSL without SHA-256 comes from no input, and no caller could go on")
  ]

  @Test(arguments: ["try!", "as!", "fatalError(", "import Foundation"])
  func nothingEndsTheProcessOrImportsFoundation(_ forbidden: String) {
    for source in Repository.sources {
      let isExcepted = Self.exceptions.contains { $0.path == source.path && $0.text == forbidden }
      for (index, line) in source.lines.enumerated() where !isExcepted && !isComment(line) {
        #expect(!line.contains(forbidden), "\(source.path):\(index + 1): \(forbidden) is not allowed")
      }
    }
  }

  @Test func everyExceptionIsNeeded() {
    for exception in Self.exceptions {
      let source = Repository.sources.first { $0.path == exception.path }
      let isUsed = source?.lines.contains { $0.contains(exception.text) } ?? false
      #expect(isUsed, "\(exception.path) no longer contains \(exception.text): drop the exception")
    }
  }

  private func isComment(_ line: Substring) -> Bool {
    line.drop { $0 == " " }.hasPrefix("//")
  }
}

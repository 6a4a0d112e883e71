import Glibc

/// A system call that failed: which one, on what, and the kernel's reason.
public struct SystemError: Error, CustomStringConvertible, Sendable, Equatable {
  /// The call, such as `bind`.
  public let call: String
  /// `errno` as the call left it.
  public let code: Int32
  /// What it was for, such as an address; may be empty.
  public let subject: String

  public init(call: String, code: Int32 = errno, subject: String = "") {
    self.call = call
    self.code = code
    self.subject = subject
  }

  public var description: String {
    "\(call)\(subject.isEmpty ? "" : " \(subject)"): \(SystemError.text(code))"
  }

  /// The kernel's words for an `errno` value (`strerror` is thread-safe in glibc since 2.32).
  public static func text(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

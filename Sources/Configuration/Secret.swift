/// A text that must not be printed: descriptions, dumps and reflection show a placeholder.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself: for handing to the code that needs it, and nothing else.
  public let exposed: String

  public init(_ text: String) { exposed = text }

  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a secret is to be had.
public enum SecretSource: Sendable, Equatable {
  /// Given in the file or the environment.
  case inline(Secret)
  /// In the file of this path.
  case file(String)
}

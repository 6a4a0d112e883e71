/// A place in a TOML text.
public struct TOMLPosition: Sendable, Hashable, CustomStringConvertible {
  /// Line, from 1.
  public let line: Int
  /// Column, from 1, in characters (Unicode scalar values; a byte order mark counts for none).
  public let column: Int
  /// Byte offset from the start of the text, from 0; a byte order mark counts.
  public let offset: Int

  public init(line: Int, column: Int, offset: Int) {
    self.line = line
    self.column = column
    self.offset = offset
  }

  public var description: String { "line \(line), column \(column)" }

  /// The place `count` ASCII characters further on the same line.
  func advanced(by count: Int) -> TOMLPosition {
    TOMLPosition(line: line, column: column + count, offset: offset + count)
  }
}

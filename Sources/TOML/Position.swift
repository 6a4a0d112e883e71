/// A place in a TOML text.
public struct TOMLPosition: Sendable, Hashable, CustomStringConvertible {
  // 32 bits each: every value of a document carries a position.
  private let storedLine: UInt32
  private let storedColumn: UInt32
  private let storedOffset: UInt32

  /// Line, from 1.
  public var line: Int { Int(storedLine) }
  /// Column, from 1, in characters (Unicode scalar values; a byte order mark counts for none).
  public var column: Int { Int(storedColumn) }
  /// Byte offset from the start of the text, from 0; a byte order mark counts.
  public var offset: Int { Int(storedOffset) }

  /// Values beyond 32 bits are cut to the largest.
  public init(line: Int, column: Int, offset: Int) {
    storedLine = UInt32(clamping: line)
    storedColumn = UInt32(clamping: column)
    storedOffset = UInt32(clamping: offset)
  }

  public var description: String { "line \(line), column \(column)" }

  /// The place `count` ASCII characters further on the same line.
  func advanced(by count: Int) -> TOMLPosition {
    TOMLPosition(line: line, column: column + count, offset: offset + count)
  }
}

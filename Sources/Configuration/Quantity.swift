import Bytes

/// Durations and sizes written as text with a unit: `25s`, `64KiB`.
enum Quantity {
  private static let milliseconds: [(unit: String, factor: Int64)] = [
    ("ms", 1), ("s", 1_000), ("m", 60_000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  private static let bytes: [(unit: String, factor: Int64)] = [
    ("B", 1), ("kB", 1_000), ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]

  /// The milliseconds of `25s`, `500ms`, `2m` (or `2min`), `1h`, `3d`; nil for anything else.
  static func milliseconds(of text: String) -> Int64? { value(of: text, units: milliseconds) }

  /// The bytes of `64KiB`, `10MB`, `512B`, ...; nil for anything else.
  static func bytes(of text: String) -> Int64? { value(of: text, units: bytes) }

  private static func value(of text: String, units: [(unit: String, factor: Int64)]) -> Int64? {
    let digits = text.utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }
    let rest = text.utf8.dropFirst(digits.count).drop { $0 == 0x20 }
    guard let number = ASCIIDecimal.parse(digits).flatMap({ Int64(exactly: $0) }),
      let unit = units.first(where: { $0.unit.utf8.elementsEqual(rest) })
    else { return nil }
    let (value, overflow) = number.multipliedReportingOverflow(by: unit.factor)
    return overflow ? nil : value
  }
}

/// Registrations by kind, kept up to date within each write.
public struct RegistrationCounts: Equatable, Sendable {
  /// Those that get pushes, by kind.
  public private(set) var active: [TokenKind: UInt64] = [:]
  /// Tombstones, by kind.
  public private(set) var tombstoned: [TokenKind: UInt64] = [:]

  public var totalActive: UInt64 { active.values.reduce(0, &+) }
  public var totalTombstoned: UInt64 { tombstoned.values.reduce(0, &+) }

  init(_ counters: Counters) {
    for kind in TokenKind.allCases {
      active[kind] = counters.count(kind, tombstoned: false)
      tombstoned[kind] = counters.count(kind, tombstoned: true)
    }
  }
}

/// The numbers kept in the `meta` table: the last generation given out, then a count for each kind's active
/// rows and tombstones.
struct Counters {
  private var numbers = [UInt64](repeating: 0, count: 1 + 2 * TokenKind.allCases.count)

  init() {}

  init?(_ bytes: Span<UInt8>) {
    var fields = bytes
    for index in numbers.indices {
      guard let number = fields.takeUInt64() else { return nil }
      numbers[index] = number
    }
  }

  func encode() -> [UInt8] {
    var out: [UInt8] = []
    for number in numbers { out.append(bigEndian: number) }
    return out
  }

  mutating func nextGeneration() -> UInt64 {
    numbers[0] &+= 1
    return numbers[0]
  }

  func count(_ kind: TokenKind, tombstoned: Bool) -> UInt64 { numbers[slot(kind, tombstoned)] }

  mutating func add(_ row: RegistrationRow) { numbers[slot(row.kind, row.tombstone != nil)] &+= 1 }

  mutating func remove(_ row: RegistrationRow) {
    let slot = slot(row.kind, row.tombstone != nil)
    if numbers[slot] > 0 { numbers[slot] -= 1 }
  }

  private func slot(_ kind: TokenKind, _ tombstoned: Bool) -> Int {
    Int(kind.rawValue) * 2 - 1 + (tombstoned ? 1 : 0)
  }
}

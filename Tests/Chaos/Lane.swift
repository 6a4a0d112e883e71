import Bytes
import EventLoop

/// One of the things that disturb a run side by side, one disturbance after the other.
protocol Lane: Sendable {
  associatedtype Kind: CaseIterable

  /// Makes a disturbance of this kind and ends it again; what it was, for the report.
  func disturb(_ kind: Kind, _ random: inout Randomness) throws -> String
  /// Puts everything in order for the run's end.
  func settle() throws
}

extension Lane {
  /// Makes disturbances until `goesOn` says no: every kind once in an order by chance, and again.
  func run(_ random: inout Randomness, _ log: LaneLog, while goesOn: () -> Bool) throws {
    while goesOn() {
      for kind in Kind.allCases.shuffled(using: &random) where goesOn() {
        log.note(try disturb(kind, &random))
      }
    }
  }
}

/// What the lanes did and what went wrong in them.
final class LaneLog: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var problems: [String] = []
  }
  private let state = Locked(State())

  var counts: [String: Int] { state.withLock { $0.counts } }
  var problems: [String] { state.withLock { $0.problems } }

  func note(_ disturbance: String) { state.withLock { $0.counts[disturbance, default: 0] += 1 } }
  func note(problem: String) { state.withLock { $0.problems.append(problem) } }
}

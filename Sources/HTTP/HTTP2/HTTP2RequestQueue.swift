/// Requests that wait for a stream, in order. Those put back come first, oldest first.
struct HTTP2RequestQueue {
  typealias ID = HTTP2PoolState.RequestID

  /// The ones that wait; what `returned` and `fresh` hold beyond these was taken out meanwhile.
  private var waiting: Set<ID> = []
  /// Put back: the oldest (lowest) last.
  private var returned: [ID] = []
  private var fresh: [ID] = []
  private var head = 0

  var count: Int { waiting.count }
  var isEmpty: Bool { waiting.isEmpty }

  func contains(_ id: ID) -> Bool { waiting.contains(id) }

  mutating func append(_ id: ID) {
    waiting.insert(id)
    fresh.append(id)
    compact()
  }

  mutating func putBack(_ id: ID) {
    waiting.insert(id)
    let at = returned.firstIndex { $0 < id } ?? returned.endIndex
    returned.insert(id, at: at)
  }

  /// Takes `id` out; its place is cleared later.
  mutating func remove(_ id: ID) {
    waiting.remove(id)
  }

  mutating func popFirst() -> ID? {
    while let id = returned.popLast() {
      if waiting.remove(id) != nil { return id }
    }
    while head < fresh.count {
      let id = fresh[head]
      head += 1
      if waiting.remove(id) != nil {
        compact()
        return id
      }
    }
    compact()
    return nil
  }

  /// Clears places that are spent, once they are most of the storage.
  private mutating func compact() {
    guard fresh.count >= 64, waiting.count < fresh.count / 2 else { return }
    let alive = waiting
    fresh.removeSubrange(..<head)
    fresh.removeAll { !alive.contains($0) }
    head = 0
  }
}

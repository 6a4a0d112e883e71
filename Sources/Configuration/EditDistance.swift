/// Levenshtein distance, to find the name that a misspelt one was meant to be.
public enum EditDistance {
  /// Insertions, deletions and replacements of bytes that make `left` into `right`.
  static func between(_ left: String, _ right: String) -> Int {
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (index, byte) in left.utf8.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (byte == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }

  /// The candidate closest to `name`; nil when none is close enough to be a misspelling of it.
  public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    // Longer than any key: no misspelling, and not worth the time.
    guard name.utf8.count <= 64 else { return nil }
    let ranked = candidates.map { (name: $0, distance: between(name, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(2, name.utf8.count / 3) ? best.name : nil
  }
}

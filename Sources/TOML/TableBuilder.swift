/// Collects the key/value pairs and headers of one document (or of one inline table) and holds them to
/// TOML's rules of definition (TOML 1.0.0, "Table", "Inline Table", "Array of Tables").
struct TableBuilder {
  /// A table still open, by its index in `nodes`.
  typealias NodeID = Int

  /// How a table came to be, which decides who may add to it.
  private enum Origin {
    /// The document, or the inline table itself.
    case root
    /// Named by a header as the parent of another: a header of its own, or dotted keys, may still define it.
    case implied
    /// Defined by its header: no second one, and no dotted keys from another table.
    case header
    /// Defined by dotted keys: no header may name it, but headers may name tables within.
    case dotted
    /// An element of an array of tables: reached by headers only.
    case element
  }

  private struct Node {
    var origin: Origin
    var position: TOMLPosition
    let depth: Int
    var index = KeyIndex()
    var entries: [Entry] = []
  }

  private struct Entry {
    let part: KeyPart
    let content: Content
  }

  private enum Content {
    /// Complete: a scalar, a static array, or an inline table. Nothing may add to it.
    case value(TOMLValue)
    case table(NodeID)
    /// Array of tables, by its index in `arrays`.
    case tables(Int)
  }

  private var nodes: [Node]
  private var arrays: [[NodeID]] = []
  private let limit: DepthLimit

  /// Begins with an empty root table that lies `depth` levels deep.
  init(at position: TOMLPosition, depth: Int, limit: DepthLimit) {
    self.limit = limit
    nodes = [Node(origin: .root, position: position, depth: depth)]
  }

  static let root: NodeID = 0

  /// How deep `table` lies in the document.
  func depth(of table: NodeID) -> Int { nodes[table].depth }

  /// Defines `path` in `table`, by a key/value pair.
  mutating func insert(
    _ value: TOMLValue, at path: [KeyPart], in table: NodeID
  ) throws(TOMLError) {
    guard let last = path.last else { return }
    var table = table
    for (index, part) in path.dropLast().enumerated() {
      table = try descendByKey(from: table, to: part, path: path[...index])
    }
    if let entry = entry(last, in: table) { throw conflict(path[...], entry, "define it once") }
    add(.value(value), part: last, to: table)
  }

  /// Opens the table of the header `[path]`, which begins at `position`.
  mutating func openTable(_ path: [KeyPart], at position: TOMLPosition) throws(TOMLError) -> NodeID {
    guard let last = path.last else { return TableBuilder.root }
    let parent = try descendByHeader(path)
    guard let entry = entry(last, in: parent) else {
      return try addTable(.header, part: last, to: parent, at: position)
    }
    guard case .table(let node) = entry.content, nodes[node].origin == .implied else {
      throw conflict(path[...], entry, "define it once")
    }
    nodes[node].origin = .header
    nodes[node].position = position
    return node
  }

  /// Opens a further element of the array of tables of the header `[[path]]`, which begins at `position`.
  mutating func openElement(_ path: [KeyPart], at position: TOMLPosition) throws(TOMLError) -> NodeID {
    guard let last = path.last else { return TableBuilder.root }
    let parent = try descendByHeader(path)
    let array: Int
    if let entry = entry(last, in: parent) {
      guard case .tables(let existing) = entry.content else {
        throw conflict(path[...], entry, "define it once")
      }
      array = existing
    } else {
      array = arrays.count
      arrays.append([])
      add(.tables(array), part: last, to: parent)
    }
    let node = try newNode(.element, depth: nodes[parent].depth + 2, at: position)
    arrays[array].append(node)
    return node
  }

  /// The finished root table.
  consuming func finish() -> TOMLTable { table(TableBuilder.root) }

  // MARK: - Ways through the tables

  private mutating func descendByKey(
    from table: NodeID, to part: KeyPart, path: ArraySlice<KeyPart>
  ) throws(TOMLError) -> NodeID {
    guard let entry = entry(part, in: table) else {
      return try addTable(.dotted, part: part, to: table, at: part.position)
    }
    guard case .table(let node) = entry.content, nodes[node].origin != .header else {
      throw conflict(path, entry, "dotted keys can't add to it from here")
    }
    nodes[node].origin = .dotted
    return node
  }

  /// The table that is to hold the last part of `path`; creates those on the way.
  private mutating func descendByHeader(_ path: [KeyPart]) throws(TOMLError) -> NodeID {
    var table = TableBuilder.root
    for (index, part) in path.dropLast().enumerated() {
      guard let entry = entry(part, in: table) else {
        table = try addTable(.implied, part: part, to: table, at: part.position)
        continue
      }
      switch entry.content {
      case .table(let node):
        table = node
      case .tables(let array):
        // An array of tables is never empty: it begins with its first element.
        guard let last = arrays[array].last else { throw conflict(path[...index], entry, "define it once") }
        table = last
      case .value:
        throw conflict(path[...index], entry, "a header can't add to it")
      }
    }
    return table
  }

  private func entry(_ part: KeyPart, in table: NodeID) -> Entry? {
    let entries = nodes[table].entries
    let found = nodes[table].index.find(part.key, count: entries.count) { entries[$0].part.key }
    return found.map { entries[$0] }
  }

  private mutating func add(_ content: Content, part: KeyPart, to table: NodeID) {
    nodes[table].entries.append(Entry(part: part, content: content))
    let entries = nodes[table].entries
    nodes[table].index.add(part.key, count: entries.count) { entries[$0].part.key }
  }

  private mutating func addTable(
    _ origin: Origin, part: KeyPart, to table: NodeID, at position: TOMLPosition
  ) throws(TOMLError) -> NodeID {
    let node = try newNode(origin, depth: nodes[table].depth + 1, at: position)
    add(.table(node), part: part, to: table)
    return node
  }

  private mutating func newNode(
    _ origin: Origin, depth: Int, at position: TOMLPosition
  ) throws(TOMLError) -> NodeID {
    try limit.check(depth, at: position)
    nodes.append(Node(origin: origin, position: position, depth: depth))
    return nodes.count - 1
  }

  // MARK: - Errors

  private func conflict(_ path: ArraySlice<KeyPart>, _ entry: Entry, _ advice: String) -> TOMLError {
    let (what, position) = definition(of: entry)
    return TOMLError(
      "'\(describe(path))' is already defined as \(what) at \(position); \(advice)",
      at: path.last?.position ?? position)
  }

  private func definition(of entry: Entry) -> (what: String, position: TOMLPosition) {
    switch entry.content {
    case .value(let value):
      switch value.content {
      case .table: return ("an inline table", entry.part.position)
      case .array: return ("a static array", entry.part.position)
      case .integer, .offsetDateTime: return ("an \(value.typeName)", entry.part.position)
      default: return ("a \(value.typeName)", entry.part.position)
      }
    case .tables: return ("an array of tables", entry.part.position)
    case .table(let node):
      let isDotted = nodes[node].origin == .dotted
      return (isDotted ? "a table by dotted keys" : "a table", nodes[node].position)
    }
  }

  // MARK: - Result

  private func table(_ node: NodeID) -> TOMLTable {
    let entries = nodes[node].entries.map { entry in
      TOMLTable.Entry(key: entry.part.key.text, keyPosition: entry.part.position, value: value(entry))
    }
    return TOMLTable(entries: entries, index: nodes[node].index)
  }

  private func value(_ entry: Entry) -> TOMLValue {
    switch entry.content {
    case .value(let value): return value
    case .table(let node): return TOMLValue(.table(table(node)), at: nodes[node].position)
    case .tables(let array):
      let elements = arrays[array].map { TOMLValue(.table(table($0)), at: nodes[$0].position) }
      return TOMLValue(.array(elements), at: entry.part.position)
    }
  }
}

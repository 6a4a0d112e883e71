/// Collects the key/value pairs and headers of one document (or of one inline table) and holds them to
/// TOML's rules of definition (TOML 1.0.0, "Table", "Inline Table", "Array of Tables").
struct TableBuilder {
  /// A table still open, by its index in `nodes`.
  typealias NodeID = Int

  /// How a table came to be, which decides who may add to it.
  fileprivate enum Origin {
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

  fileprivate struct Node {
    var origin: Origin
    var position: TOMLPosition
    let depth: Int
    var index = KeyIndex()
    /// What the finished table will hold; the value of an entry that is linked is not known before the end.
    var entries: [TOMLTable.Entry] = []
    /// In the order of the entries.
    var links: [Link] = []
  }

  /// An entry to which later lines may add.
  fileprivate struct Link {
    let entry: Int
    let target: Target
  }

  fileprivate enum Target {
    case table(NodeID)
    /// Array of tables, by its index in `arrays`.
    case tables(Int)
  }

  /// What a key stands for so far.
  private enum Found {
    /// Complete: a scalar, a static array, or an inline table. Nothing may add to it.
    case value(TOMLTable.Entry)
    case table(NodeID)
    case tables(Int, TOMLPosition)
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
    _ value: TOMLValue, at path: KeyPath, in table: NodeID
  ) throws(TOMLError) {
    var table = table
    if !path.parents.isEmpty {
      for index in path.parents.indices {
        table = try descendByKey(from: table, along: path.parents[...index])
      }
    }
    guard !has(path.last.key, in: table) else { throw redefinition(path, in: table) }
    add(value, at: path.last, to: table)
  }

  /// Opens the table of the header `[path]`, which begins at `position`.
  mutating func openTable(_ path: KeyPath, at position: TOMLPosition) throws(TOMLError) -> NodeID {
    let parent = try descendByHeader(path.parents)
    guard let found = find(path.last.key, in: parent) else {
      return try addTable(.header, part: path.last, to: parent, at: position)
    }
    guard case .table(let node) = found, nodes[node].origin == .implied else {
      throw conflict(path.parts[...], found, "define it once")
    }
    nodes[node].origin = .header
    nodes[node].position = position
    return node
  }

  /// Opens a further element of the array of tables of the header `[[path]]`, which begins at `position`.
  mutating func openElement(_ path: KeyPath, at position: TOMLPosition) throws(TOMLError) -> NodeID {
    let parent = try descendByHeader(path.parents)
    let array: Int
    if let found = find(path.last.key, in: parent) {
      guard case .tables(let existing, _) = found else {
        throw conflict(path.parts[...], found, "define it once")
      }
      array = existing
    } else {
      array = arrays.count
      arrays.append([])
      link(.tables(array), at: path.last, to: parent)
    }
    let node = try newNode(.element, depth: nodes[parent].depth + 2, at: position)
    arrays[array].append(node)
    return node
  }

  /// The finished root table.
  consuming func finish() -> TOMLTable { table(TableBuilder.root) }

  // MARK: - Ways through the tables

  /// The table that the last of `path` stands for in `table`, made if there is none.
  private mutating func descendByKey(
    from table: NodeID, along path: ArraySlice<KeyPart>
  ) throws(TOMLError) -> NodeID {
    guard let part = path.last else { return table }
    guard let found = find(part.key, in: table) else {
      return try addTable(.dotted, part: part, to: table, at: part.position)
    }
    guard case .table(let node) = found, nodes[node].origin != .header else {
      throw conflict(path, found, "dotted keys can't add to it from here")
    }
    nodes[node].origin = .dotted
    return node
  }

  /// The table at `path`; creates those on the way.
  private mutating func descendByHeader(_ path: [KeyPart]) throws(TOMLError) -> NodeID {
    var table = TableBuilder.root
    for (index, part) in path.enumerated() {
      guard let found = find(part.key, in: table) else {
        table = try addTable(.implied, part: part, to: table, at: part.position)
        continue
      }
      switch found {
      case .table(let node):
        table = node
      case .tables(let array, _):
        // An array of tables is never empty: it begins with its first element.
        guard let last = arrays[array].last else { throw conflict(path[...index], found, "define it once") }
        table = last
      case .value:
        throw conflict(path[...index], found, "a header can't add to it")
      }
    }
    return table
  }

  private func has(_ key: ExactKey, in table: NodeID) -> Bool {
    nodes[table].index.find(key, in: nodes[table].entries) != nil
  }

  private func find(_ key: ExactKey, in table: NodeID) -> Found? {
    guard let index = nodes[table].index.find(key, in: nodes[table].entries) else { return nil }
    let entry = nodes[table].entries[index]
    return switch link(of: index, in: nodes[table].links) {
    case .table(let node): .table(node)
    case .tables(let array): .tables(array, entry.keyPosition)
    case nil: .value(entry)
    }
  }

  private func link(of entry: Int, in links: [Link]) -> Target? {
    var low = 0
    var high = links.count
    while low < high {
      let middle = (low + high) / 2
      if links[middle].entry < entry { low = middle + 1 } else { high = middle }
    }
    return low < links.count && links[low].entry == entry ? links[low].target : nil
  }

  private mutating func add(_ value: TOMLValue, at part: KeyPart, to table: NodeID) {
    nodes[table].add(TOMLTable.Entry(key: part.key.text, keyPosition: part.position, value: value))
  }

  private mutating func link(_ target: Target, at part: KeyPart, to table: NodeID) {
    nodes[table].links.append(Link(entry: nodes[table].entries.count, target: target))
    add(TOMLValue(.boolean(false), at: part.position), at: part, to: table)
  }

  private mutating func addTable(
    _ origin: Origin, part: KeyPart, to table: NodeID, at position: TOMLPosition
  ) throws(TOMLError) -> NodeID {
    let node = try newNode(origin, depth: nodes[table].depth + 1, at: position)
    link(.table(node), at: part, to: table)
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

  private func redefinition(_ path: KeyPath, in table: NodeID) -> TOMLError {
    guard let found = find(path.last.key, in: table) else {
      return TOMLError("'\(describe(path.parts))' is already defined", at: path.last.position)
    }
    return conflict(path.parts[...], found, "define it once")
  }

  private func conflict(_ path: ArraySlice<KeyPart>, _ found: Found, _ advice: String) -> TOMLError {
    let (what, position) = definition(of: found)
    return TOMLError(
      "'\(describe(path))' is already defined as \(what) at \(position); \(advice)",
      at: path.last?.position ?? position)
  }

  private func definition(of found: Found) -> (what: String, position: TOMLPosition) {
    switch found {
    case .value(let entry):
      switch entry.value.content {
      case .table: return ("an inline table", entry.keyPosition)
      case .array: return ("a static array", entry.keyPosition)
      case .integer, .offsetDateTime: return ("an \(entry.value.typeName)", entry.keyPosition)
      default: return ("a \(entry.value.typeName)", entry.keyPosition)
      }
    case .tables(_, let position): return ("an array of tables", position)
    case .table(let node):
      let isDotted = nodes[node].origin == .dotted
      return (isDotted ? "a table by dotted keys" : "a table", nodes[node].position)
    }
  }

  // MARK: - Result

  /// Takes the entries out of `node` and fills in those that are linked.
  private mutating func table(_ node: NodeID) -> TOMLTable {
    var entries: [TOMLTable.Entry] = []
    swap(&entries, &nodes[node].entries)
    for link in nodes[node].links {
      entries[link.entry].value = value(link.target, at: entries[link.entry].keyPosition)
    }
    return TOMLTable(entries: entries, index: nodes[node].index)
  }

  private mutating func value(_ target: Target, at position: TOMLPosition) -> TOMLValue {
    switch target {
    case .table(let node):
      let position = nodes[node].position
      return TOMLValue(.table(table(node)), at: position)
    case .tables(let array):
      var elements: [TOMLValue] = []
      elements.reserveCapacity(arrays[array].count)
      for node in arrays[array] {
        let position = nodes[node].position
        elements.append(TOMLValue(.table(table(node)), at: position))
      }
      return TOMLValue(.array(elements), at: position)
    }
  }
}

extension TableBuilder.Node {
  mutating func add(_ entry: TOMLTable.Entry) {
    // Most tables have a few entries: not room for one, then two, then four.
    if entries.isEmpty { entries.reserveCapacity(4) }
    entries.append(entry)
    index.noteLast(of: entries)
  }
}

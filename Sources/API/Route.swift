import Bytes

/// What a request's path means.
enum Route: Equatable {
  /// `/clients`
  case clients
  /// `/clients/{client_id}`, decoded
  case client(String)
  case health
  case ready
  case metrics
  case status
  /// A file of `Public/` by its path there; an empty one is the start page.
  case page(String)
  /// The base path without the slash at its end, from which the pages' links would go astray.
  case baseWithoutSlash
  /// A path under a project ID that the configuration does not list.
  case unknownProject(String)
  /// `/clients/...` with an ID that is no valid percent-encoding or UTF-8.
  case malformedClientID
  case unknown

  /// The methods that a route answers.
  var methods: [String] {
    switch self {
    case .clients: ["POST"]
    case .client: ["POST", "DELETE"]
    case .health, .ready, .metrics, .status, .page, .baseWithoutSlash: ["GET", "HEAD"]
    case .unknownProject, .malformedClientID, .unknown: []
    }
  }
}

/// Turns paths into routes. The routes live at the root, under the path of the public URL, and the client
/// routes also under a project ID: every WalletConnect SDK registers at `/{project_id}/clients`.
struct RouteTable {
  private let base: [Substring]
  private let adminPrefixes: [[UInt8]]
  /// Nil takes any project ID.
  private let projectIDs: Set<String>?
  private let isPage: (String) -> Bool

  /// - Parameters:
  ///   - basePath: the public URL's path, such as `/push`; empty or `/` for none.
  ///   - isPage: whether `Public/` has a file of that path.
  init(basePath: String, projectIDs: Set<String>?, isPage: @escaping (String) -> Bool) {
    base = basePath.split(separator: "/")
    let places = base.isEmpty ? [""] : ["", "/" + base.joined(separator: "/")]
    adminPrefixes = places.map { Array("\($0)/admin/api/".utf8) }
    self.projectIDs = projectIDs
    self.isPage = isPage
  }

  /// The route of an undecoded path without query.
  func route(_ path: String) -> Route {
    guard path.utf8.first == UInt8(ascii: "/") else { return .unknown }
    if base.isEmpty, let id = Self.plainClient(path) { return .client(id) }
    // By bytes: characters cost much more.
    let segments = path.utf8.dropFirst()
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    if !base.isEmpty, segments.starts(with: base) {
      let route = match(segments.dropFirst(base.count))
      if route != .unknown { return route }
    }
    return match(segments[...])
  }

  /// The segments after `/admin/api` when a path begins so, at the root or under the base.
  func adminSegments(_ path: String) -> ArraySlice<Substring>? {
    for prefix in adminPrefixes where path.utf8.starts(with: prefix) {
      return path.utf8.dropFirst(prefix.count)
        .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }[...]
    }
    return nil
  }

  /// The ID in `/clients/{client_id}` when it is written plainly, as in nearly every request there is.
  private static func plainClient(_ path: String) -> String? {
    let prefix = "/clients/".utf8
    guard path.utf8.count > prefix.count, path.utf8.starts(with: prefix) else { return nil }
    let id = String(Substring(path.utf8.dropFirst(prefix.count)))
    // A proxy takes dots for steps through folders: they never name a client, however they are written.
    guard id != ".", id != ".." else { return nil }
    return id.allUTF8Bytes { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "%") } ? id : nil
  }

  private func match(_ segments: ArraySlice<Substring>) -> Route {
    // Only the base path leaves no segment.
    guard let first = segments.first else { return .baseWithoutSlash }
    let rest = segments.dropFirst()
    switch (first, rest.count) {
    case ("health", 0): return .health
    case ("ready", 0): return .ready
    case ("metrics", 0): return .metrics
    case ("status", 0): return .status
    case ("clients", 0): return .clients
    case ("clients", 1): return client(rest)
    default: break
    }
    let path = segments.joined(separator: "/")
    if isPage(path) { return .page(path) }
    // `/{project_id}/clients`: the ID is an opaque prefix.
    guard rest.first == "clients", rest.count <= 2 else { return .unknown }
    guard let project = PercentEncoding.decode(first), Self.isProjectID(project) else { return .unknown }
    if let projectIDs, !projectIDs.contains(project) { return .unknownProject(project) }
    return rest.count == 1 ? .clients : client(rest.dropFirst())
  }

  private func client(_ segments: ArraySlice<Substring>) -> Route {
    guard let segment = segments.first, !segment.isEmpty else { return .unknown }
    guard let id = PercentEncoding.decode(segment) else { return .malformedClientID }
    return id == "." || id == ".." ? .unknown : .client(id)
  }

  /// As the configuration takes them.
  private static func isProjectID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

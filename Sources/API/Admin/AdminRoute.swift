import Bytes

/// What a path below `/admin/api/` means.
enum AdminRoute: Equatable {
  case session, login, logout
  case overview, history
  case search
  /// With the client ID as it stands in the path.
  case registration(Substring), restore(Substring), revive(Substring), testPush(Substring), why(Substring)
  case deliveries, deliveryStream
  case configuration, reload, backup, actions

  /// - Parameter segments: of the path after `/admin/api`.
  init?(_ segments: ArraySlice<Substring>) {
    let segments = Array(segments)
    switch segments.count {
    case 1:
      switch segments[0] {
      case "session": self = .session
      case "login": self = .login
      case "logout": self = .logout
      case "overview": self = .overview
      case "deliveries": self = .deliveries
      case "configuration": self = .configuration
      case "reload": self = .reload
      case "backup": self = .backup
      case "actions": self = .actions
      default: return nil
      }
    case 2:
      switch (segments[0], segments[1]) {
      case ("metrics", "history"): self = .history
      case ("registrations", "search"): self = .search
      case ("deliveries", "stream"): self = .deliveryStream
      case ("registrations", let id) where !id.isEmpty: self = .registration(id)
      case ("why", let id) where !id.isEmpty: self = .why(id)
      default: return nil
      }
    case 3 where segments[0] == "registrations" && !segments[1].isEmpty:
      switch segments[2] {
      case "restore": self = .restore(segments[1])
      case "revive": self = .revive(segments[1])
      case "test-push": self = .testPush(segments[1])
      default: return nil
      }
    default: return nil
    }
  }

  /// The methods that it answers, besides HEAD where there is GET.
  var methods: [String] {
    switch self {
    case .session, .overview, .history, .why, .deliveries, .deliveryStream, .configuration, .backup, .actions:
      ["GET"]
    case .login, .logout, .search, .restore, .revive, .testPush, .reload: ["POST"]
    case .registration: ["GET", "DELETE"]
    }
  }

  /// Whether it takes a body of JSON.
  var takesBody: Bool {
    switch self {
    case .login, .search, .restore: true
    default: false
    }
  }
}

extension AdminRoute {
  /// Every route as `docs/openapi.yaml` writes its path, with its methods: for the test that compares them.
  static let all: [(path: String, methods: [String])] = [
    "session", "login", "logout", "overview", "metrics/history", "registrations/search",
    "registrations/{client_id}", "registrations/{client_id}/restore", "registrations/{client_id}/revive",
    "registrations/{client_id}/test-push", "why/{client_id}", "deliveries", "deliveries/stream",
    "configuration", "reload", "backup", "actions",
  ].map { path in
    ("/admin/api/" + path, AdminRoute(path.split(separator: "/")[...])?.methods ?? [])
  }
}

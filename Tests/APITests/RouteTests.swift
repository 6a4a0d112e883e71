import Testing

@testable import API

@Suite struct RouteTests {
  private func route(_ path: String, base: String = "", projects: Set<String>? = nil) -> Route {
    RouteTable(
      basePath: base, projectIDs: projects, isPage: { ["", "style.css", "views/login.js"].contains($0) }
    ).route(path)
  }

  @Test func theRoutesOfRelayAndWallets() {
    #expect(route("/clients") == .clients)
    #expect(route("/clients/z6Mk") == .client("z6Mk"))
    #expect(route("/clients/did:key:z6Mk") == .client("did:key:z6Mk"))
    #expect(route("/clients/did%3Akey%3Az6Mk") == .client("did:key:z6Mk"))
    #expect(route("/abc-1/clients") == .clients)
    #expect(route("/abc-1/clients/z6Mk") == .client("z6Mk"))
    #expect(route("/health") == .health)
    #expect(route("/") == .page(""))
    #expect(route("/style.css") == .page("style.css"))
    #expect(route("/views/login.js") == .page("views/login.js"))
  }

  @Test func whatIsNoRoute() {
    for path in [
      "", "*", "clients", "/Clients", "/clients/", "/clients//a", "/clients/a/b", "/a/b/clients", "//clients",
      "/a/health", "/../clients", "/nothing", "/views", "/views/", "/views/../style.css",
    ] {
      #expect(route(path) == .unknown, "\(path)")
    }
    #expect(route("/clients/%") == .malformedClientID)
    #expect(route("/clients/%ff") == .malformedClientID)
  }

  @Test func aListOfProjectsShutsOthersOut() {
    #expect(route("/mine/clients", projects: ["mine"]) == .clients)
    #expect(route("/other/clients", projects: ["mine"]) == .unknownProject("other"))
    #expect(route("/other/clients/a", projects: []) == .unknownProject("other"))
    #expect(route("/clients", projects: []) == .clients)
    #expect(route("/\(String(repeating: "p", count: 65))/clients") == .unknown)
  }

  @Test func theBasePathIsOneMoreRoot() {
    #expect(route("/push/v1/clients", base: "/push/v1") == .clients)
    #expect(route("/push/v1/mine/clients/a", base: "/push/v1/") == .client("a"))
    #expect(route("/clients/a", base: "/push/v1") == .client("a"))
    #expect(route("/push/v1", base: "/push/v1") == .baseWithoutSlash)
    #expect(route("/push/v1/", base: "/push/v1") == .page(""))
    // A base path that looks like a project ID.
    #expect(route("/push/clients", base: "/push", projects: ["mine"]) == .clients)
  }
}

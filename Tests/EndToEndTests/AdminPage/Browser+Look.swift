import Bytes
import Glibc
import JSON
import TestSupport
import Testing

/// What the page is looked at on.
struct Screen: Sendable, CustomTestStringConvertible {
  var name: String
  /// CSS pixels.
  var width: Int
  var isDark: Bool
  var testDescription: String { name }

  static let all = [
    Screen(name: "light", width: 1280, isDark: false), Screen(name: "dark", width: 1280, isDark: true),
    Screen(name: "phone", width: 360, isDark: false), Screen(name: "phone-dark", width: 360, isDark: true),
  ]

  /// The page's own width, in the page: more than the screen's when it scrolls sideways.
  static let width = "document.documentElement.scrollWidth"
}

/// How the page looks, and on what.
extension Browser {
  /// As on `screen`, for somebody who wants little motion.
  func show(on screen: Screen) throws {
    try resize(width: screen.width, height: 800, isPhone: screen.width < 500)
    try prefer(dark: screen.isDark, reducedMotion: true)
  }

  /// A screen's width and height in CSS pixels; `isPhone` adds what phones do with the viewport.
  func resize(width: Int, height: Int, isPhone: Bool = false) throws {
    try devTools("Emulation.setDeviceMetricsOverride") { writer in
      writer.member("width", width)
      writer.member("height", height)
      writer.member("deviceScaleFactor", 1)
      writer.member("mobile", isPhone)
    }
  }

  /// What the person prefers: `prefers-color-scheme` and `prefers-reduced-motion`.
  func prefer(dark: Bool, reducedMotion: Bool = false) throws {
    try devTools("Emulation.setEmulatedMedia") { writer in
      writer.key("features")
      writer.beginArray()
      for (name, value) in [
        ("prefers-color-scheme", dark ? "dark" : "light"),
        ("prefers-reduced-motion", reducedMotion ? "reduce" : "no-preference"),
      ] {
        writer.beginObject()
        writer.member("name", name)
        writer.member("value", value)
        writer.endObject()
      }
      writer.endArray()
    }
  }

  /// Where screenshots go: beside the built tests.
  static let screenshots = ChildProcess.products + "/admin-screenshots"

  /// Keeps the whole page as a PNG file, to be looked at.
  func screenshot(_ name: String) throws {
    let size = try evaluate(
      "return [document.documentElement.clientWidth, Math.min(document.documentElement.scrollHeight, 4000)]")
    let picture = try devTools("Page.captureScreenshot") { writer in
      writer.member("format", "png")
      writer.member("captureBeyondViewport", true)
      writer.key("clip")
      writer.beginObject()
      writer.member("x", 0)
      writer.member("y", 0)
      writer.member("width", size[0] ?? .null)
      writer.member("height", size[1] ?? .null)
      writer.member("scale", 1)
      writer.endObject()
    }
    guard let content = Base64.decode((picture["data"]?.stringValue ?? "").utf8), !content.isEmpty else {
      throw TestSupportError("no screenshot of \(name)")
    }
    mkdir(Self.screenshots, 0o755)
    guard let file = fopen("\(Self.screenshots)/\(name).png", "wb") else {
      throw TestSupportError(
        "cannot write \(Self.screenshots)/\(name).png: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    guard fwrite(content, 1, content.count, file) == content.count else {
      throw TestSupportError("\(Self.screenshots)/\(name).png is cut short")
    }
  }

  /// Controls and pictures without a name in the browser's accessibility tree, which is what screen readers get.
  func namelessElements() throws -> [String] {
    try devTools("Accessibility.enable")
    let roles: Set<String> = [
      "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "slider", "image", "img",
      "dialog",
      "navigation", "heading", "table",
    ]
    let nodes = try devTools("Accessibility.getFullAXTree")["nodes"]?.arrayValue ?? []
    guard nodes.count > 10 else { return ["the tree has \(nodes.count) nodes"] }
    return nodes.compactMap { node in
      guard node["ignored"]?.boolValue != true, let role = node["role"]?["value"]?.stringValue,
        roles.contains(role),
        (node["name"]?["value"]?.stringValue ?? "").isEmpty
      else { return nil }
      // A table may go without when its section has a heading.
      return role == "table" ? nil : "\(role) \(node["nodeId"]?.stringValue ?? "")"
    }
  }
}

import Glibc
import Testing

@testable import Configuration

/// docs/configuration.md follows from the schema.
@Suite struct ReferenceTests {
  private static let path: String =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/docs/configuration.md"

  /// With `PUSHBOX_UPDATE_EXAMPLE=1` the file is written instead.
  @Test func theCommittedReferenceIsTheGeneratedOne() throws {
    if getenv("PUSHBOX_UPDATE_EXAMPLE") != nil {
      let file = try #require(fopen(Self.path, "w"))
      defer { fclose(file) }
      fputs(Self.text, file)
      return
    }
    let file = try #require(fopen(Self.path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    let count = fread(&bytes, 1, bytes.count, file)
    let isEqual = String(decoding: bytes[..<count], as: UTF8.self) == Self.text
    #expect(
      isEqual, "docs/configuration.md is outdated: run PUSHBOX_UPDATE_EXAMPLE=1 swift test --filter Reference"
    )
  }

  private static var text: String {
    var text = """
      # Configuration

      One file in TOML 1.0, `/etc/pushbox/config.toml` unless `--config` names another. Each key has an
      environment variable that overrides it: `PUSHBOX_` and the key in capitals, with `_` for the dot. So
      `PUSHBOX_SERVER_LISTEN` is `server.listen`; lists are separated by commas. The names of the Rust push
      server work too, see [migration](migration.md).

      Times and sizes are numbers in the unit that the key's name ends with, or texts such as `"25s"` and
      `"64KiB"`. A relative path starts at the folder of the file. A path may begin with
      `$CREDENTIALS_DIRECTORY`, where systemd puts what the unit's `LoadCredential=` names.

      `pushbox check` says what is wrong with a configuration, with line and column; `pushbox config show`
      prints what is in effect and where each value came from.

      """
    for section in ConfigurationSchema.sections {
      text += "\n## [\(section.name)]\n\n\(section.help)\n"
      for key in ConfigurationKey.allCases where key.section == section.name {
        let definition = key.definition
        text += "\n### \(key.rawValue)\n\n"
        text += definition.help.split(separator: "\n").joined(separator: "\n") + "\n\n"
        text += "- Type: \(words(definition.type))\n"
        if let fallback = definition.fallback {
          text += "- Default: `\(fallback)`\n"
        } else {
          text += "- Example: `\(key.name) = \(definition.sample)`\n"
        }
        text += "- Environment: `\(key.environmentName)`\n"
      }
    }
    return text
  }

  private static func words(_ type: KeyType) -> String {
    switch type {
    case .text: "text"
    case .path: "path of a file or folder"
    case .boolean: "`true` or `false`"
    case .list: "text, or array of texts"
    case .choice(let values): values.map { "`\"\($0)\"`" }.joined(separator: ", ")
    case .integer(let range): "number, \(range.lowerBound) to \(range.upperBound)"
    case .size(let range): "bytes, \(range.lowerBound) to \(range.upperBound)"
    case .duration(let unit, let range): "time, \(range.lowerBound) to \(range.upperBound) \(unit.name)"
    }
  }
}

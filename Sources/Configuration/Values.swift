import TOML

/// The values of all keys from defaults, file and environment, each with its origin; types are right, the
/// meaning is yet to be checked.
struct ConfigurationValues {
  /// Who wins: the higher one.
  enum Layer: Int { case defaults, file, legacyEnvironment, environment }

  struct Entry {
    let value: RawValue
    let origin: ConfigurationOrigin
    let layer: Layer
  }

  private(set) var entries: [ConfigurationKey: Entry] = [:]
  /// Keys that were given but unusable, so that they are not called missing too.
  private(set) var failed: Set<ConfigurationKey> = []
  /// Sections that the file or the environment mentions.
  private(set) var mentioned: Set<String> = []
  private(set) var problems: [ConfigurationProblem] = []
  /// Keys of the other kind than `APNS_TYPE` names, whose variables do not count.
  private var ignored: Set<ConfigurationKey> = []
  private(set) var warnings: [ConfigurationWarning] = []
  private let credentialsFolder: String?

  init(environment: [String: String]) {
    credentialsFolder = CredentialPath.folder(in: environment)
  }

  mutating func readDefaults() {
    for key in ConfigurationKey.allCases {
      guard let literal = key.definition.fallback,
        let value = try? TOMLDocument.parse(Array("v = \(literal)".utf8))["v"],
        let raw = try? key.definition.type.decode(value)
      else { continue }
      entries[key] = Entry(value: raw, origin: .default, layer: .defaults)
    }
  }

  mutating func report(_ message: String, key: String? = nil, at origin: ConfigurationOrigin? = nil) {
    problems.append(ConfigurationProblem(message, key: key, at: origin))
  }

  mutating func warn(_ message: String, key: String? = nil, at origin: ConfigurationOrigin? = nil) {
    warnings.append(ConfigurationWarning(message, key: key, at: origin))
  }

  // MARK: - File

  /// Reads `file`. Throws at once when it is no TOML: nothing else can be said then.
  mutating func readFile(_ file: ConfigurationFile) throws(ConfigurationError) {
    let path = file.path
    let table: TOMLTable
    do {
      table = try TOMLDocument.parse(file.bytes)
    } catch {
      let origin = ConfigurationOrigin.file(path: path, line: error.line, column: error.column)
      throw ConfigurationError(problems: [ConfigurationProblem(error.message, at: origin)])
    }
    for entry in table.entries { readSection(entry, path) }
  }

  private mutating func readSection(_ entry: TOMLTable.Entry, _ path: String) {
    let origin = origin(entry.keyPosition, path)
    guard ConfigurationSchema.sections.contains(where: { $0.name == entry.key }) else {
      report(unknownSection(entry.key), key: KeyType.printable(entry.key), at: origin)
      return
    }
    guard let table = entry.value.table else {
      report(
        "found type \(entry.value.typeName), expected a table: [\(entry.key)]", key: entry.key, at: origin)
      return
    }
    mentioned.insert(entry.key)
    for member in table.entries { readMember(member, of: entry.key, path) }
  }

  private mutating func readMember(_ entry: TOMLTable.Entry, of section: String, _ path: String) {
    guard let key = ConfigurationKey(rawValue: "\(section).\(entry.key)"), key.section == section else {
      report(
        unknownKey(entry.key, of: section), key: "\(section).\(KeyType.printable(entry.key))",
        at: origin(entry.keyPosition, path))
      return
    }
    let origin = origin(entry.value.position, path)
    do {
      var raw = try key.definition.type.decode(entry.value)
      if case .path = key.definition.type, case .text(let name) = raw {
        let name = try CredentialPath.expand(name, folder: credentialsFolder)
        raw = .text(FileContent.resolve(name, besideFile: path))
      }
      entries[key] = Entry(value: raw, origin: origin, layer: .file)
    } catch {
      failed.insert(key)
      report(error.message, key: key.rawValue, at: origin)
    }
  }

  private func origin(_ position: TOMLPosition, _ path: String) -> ConfigurationOrigin {
    .file(path: path, line: position.line, column: position.column)
  }

  private func unknownSection(_ name: String) -> String {
    if name == "apps" {
      return "several apps are not supported by this version; use [apns] and [fcm]"
    }
    let owners = ConfigurationKey.allCases.filter { $0.name == name }
    if let owner = owners.first {
      return "unknown key outside of a section; it belongs into [\(owner.section)]"
    }
    guard let nearest = EditDistance.nearest(to: name, among: ConfigurationSchema.sections.map(\.name)) else {
      let names = ConfigurationSchema.sections.map(\.name).joined(separator: ", ")
      return "unknown section; the sections are \(names)"
    }
    return "unknown section; did you mean [\(nearest)]?"
  }

  private func unknownKey(_ name: String, of section: String) -> String {
    let siblings = ConfigurationKey.allCases.filter { $0.section == section }
    if let owner = ConfigurationKey.allCases.first(where: { $0.name == name }) {
      return "unknown key; did you mean \(owner.rawValue)?"
    }
    guard let nearest = EditDistance.nearest(to: name, among: siblings.map(\.name)) else {
      return "unknown key; the keys of [\(section)] are \(siblings.map(\.name).joined(separator: ", "))"
    }
    return "unknown key; did you mean \(section).\(nearest)?"
  }

  // MARK: - Environment

  /// Reads the variables that have a meaning; an empty one counts as unset.
  mutating func readEnvironment(_ environment: [String: String]) {
    for (name, meaning) in LegacyEnvironment.variables {
      guard let text = environment[name], !text.isEmpty else { continue }
      readLegacy(name, meaning, text)
    }
    for key in ConfigurationKey.allCases {
      guard let text = environment[key.environmentName], !text.isEmpty else { continue }
      read(text, as: key, from: key.environmentName, layer: .environment)
    }
    let known = ConfigurationKey.allCases.map(\.environmentName)
    for name in environment.keys.sorted() where name.hasPrefix("PUSHBOX_") && !known.contains(name) {
      // No error: the name may be meant for something else, such as a start script.
      let nearest = EditDistance.nearest(to: name, among: known)
      warn(
        "unknown variable, ignored" + (nearest.map { "; did you mean \($0)?" } ?? ""), at: .environment(name))
    }
  }

  private mutating func readLegacy(_ name: String, _ meaning: LegacyEnvironment.Meaning, _ text: String) {
    switch meaning {
    case .key(let key) where ignored.contains(key):
      warn("has no effect beside APNS_TYPE", at: .environment(name))
    case .key(let key): read(text, as: key, from: name, layer: .legacyEnvironment)
    case .port: read("0.0.0.0:\(text)", as: .serverListen, from: name, layer: .legacyEnvironment)
    case .logLevel:
      if let level = LegacyEnvironment.logLevel(text) {
        read(level, as: .logLevel, from: name, layer: .legacyEnvironment)
      } else {
        warn(
          "no level found, ignored; use debug, info, warning or error", key: "log.level",
          at: .environment(name))
      }
    case .gatewayType:
      mentioned.insert("apns")
      switch text.lowercased() {
      case "token": ignored = [.apnsCertificate, .apnsCertificatePassword]
      case "certificate": ignored = [.apnsKey, .apnsKeyID, .apnsTeamID]
      default:
        report(
          "found another type, expected \"token\" or \"certificate\"", key: "apns", at: .environment(name))
      }
    case .retired(let advice):
      warn("has no effect: \(advice)", at: .environment(name))
    }
  }

  private mutating func read(_ text: String, as key: ConfigurationKey, from name: String, layer: Layer) {
    // As in the Rust server, a topic by itself asks for nothing.
    if key != .apnsTopic || layer == .environment { mentioned.insert(key.section) }
    do {
      var value = try key.definition.type.decodeEnvironment(text)
      if case .path = key.definition.type, case .text(let name) = value {
        value = .text(try CredentialPath.expand(name, folder: credentialsFolder))
      }
      entries[key] = Entry(value: value, origin: .environment(name), layer: layer)
    } catch {
      failed.insert(key)
      report(error.message, key: key.rawValue, at: .environment(name))
    }
  }
}

import Configuration
import Glibc
import Testing

@Suite struct ExampleTests {
  private static let path: String = {
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/config.toml.example"
  }()

  private var committed: String {
    get throws {
      let file = try #require(fopen(Self.path, "r"))
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = fread(&bytes, 1, bytes.count, file)
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// With `PUSHBOX_UPDATE_EXAMPLE=1` the file is written instead.
  @Test func theCommittedFileIsTheGeneratedOne() throws {
    if getenv("PUSHBOX_UPDATE_EXAMPLE") != nil {
      let file = try #require(fopen(Self.path, "w"))
      defer { fclose(file) }
      fputs(ConfigurationSchema.exampleText, file)
      return
    }
    #expect(try committed == ConfigurationSchema.exampleText)
  }

  private func filledIn(_ text: String) -> String {
    text.replacing("public_url = \"\"", with: "public_url = \"https://push.example.com\"")
      .replacing("public_key = \"\"", with: "public_key = \"\(Sample.relayKey)\"")
  }

  @Test func theExampleAsItIsNamesWhatToFillIn() throws {
    let found = try problems(ConfigurationSchema.exampleText)
    #expect(found.count == 3)
    #expect(found[0].hasSuffix(": server.public_url: is no usable URL: expected http:// or https://"))
    #expect(found[1].contains(": relay.public_key: is not 64 hexadecimal digits; the key is served at GET "))
    #expect(found[2] == "no gateway configured: add [apns] or [fcm]")
  }

  @Test func theExampleIsAcceptedOnceFilledIn() throws {
    let example = filledIn(ConfigurationSchema.exampleText)
    let start = try #require(example.firstRange(of: "#[apns]")).lowerBound
    let gateways = example[start...].replacing("#[apns]", with: "[apns]")
      .replacing("#key_", with: "key_").replacing("#team_id", with: "team_id").replacing(
        "#topic", with: "topic")
    let text = example[..<start] + gateways
    let (configuration, warnings) = try load(String(text))
    #expect(warnings == [])
    guard case .token(_, "ABCDE12345", "FGHIJ67890") = configuration.apns?.authentication else {
      Issue.record("got \(String(describing: configuration.apns))")
      return
    }
    #expect(configuration.fcm == nil)
  }

  @Test func everyLineOfTheExampleIsAcceptedUncommented() throws {
    let alternatives = [
      "#key =", "#service_account =", "#public_key_file =", "#certificate =", "#certificate_password",
      "#certificate_file = \"push.p12\"", "#private_key_file =", "#password_hash_file =", "#token_file =",
    ]
    let text = filledIn(ConfigurationSchema.exampleText).split(separator: "\n").map { line in
      line.hasPrefix("# ") || alternatives.contains { line.hasPrefix($0) } ? line : line.drop { $0 == "#" }
    }.joined(separator: "\n")
    let (configuration, warnings) = try load(text)
    #expect(warnings == [])
    let given = configuration.origins.filter { $0.value != .default }
    #expect(given.count == ConfigurationKey.allCases.count - 10)
    // The defaults shown are the defaults in force.
    let (minimal, _) = try load(Sample.minimal)
    #expect("\(configuration.push)" == "\(minimal.push)")
    #expect("\(configuration.store)" == "\(minimal.store)")
    #expect("\(configuration.server)" == "\(minimal.server)")
    #expect("\(configuration.log)" == "\(minimal.log)")
    #expect("\(configuration.relay)" == "\(minimal.relay)")
  }

  @Test func everyKeyIsShownOnce() {
    let lines = ConfigurationSchema.exampleText.split(separator: "\n").filter {
      !$0.hasPrefix("# ") && $0.contains(" = ")
    }
    #expect(lines.count == ConfigurationKey.allCases.count)
  }
}

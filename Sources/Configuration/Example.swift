/// What can be said of the configuration's format as a whole.
public enum ConfigurationSchema {
  /// The sections in order, each with what the example file says of it.
  static let sections: [(name: String, help: String, isOptional: Bool)] = [
    ("server", "Where this server listens.", false),
    (
      "tls",
      "Uncomment to serve https and HTTP/2 without a reverse proxy. TLS 1.2 at least.",
      true
    ),
    ("limits", "What one address may do. Beyond it the answer is 429.", false),
    ("relay", "Where pushes come from.", false),
    ("clients", "Who may register.", false),
    ("store", "Where registrations are kept.", false),
    ("push", "How pushes are delivered.", false),
    ("apns", "Apple. Uncomment this section or [fcm], or both: at least one gateway is needed.", true),
    ("fcm", "Google Firebase Cloud Messaging.", true),
    ("admin", "The admin page. Uncomment this section to turn it on.", true),
    ("metrics", "Numbers for Prometheus, at /metrics.", false),
    ("outbound", "The way to the gateways.", false),
    ("log", "What goes to standard error.", false),
  ]

  /// The text of `config.toml.example`: every key with its default and what it means.
  public static var exampleText: String {
    var text = """
      # pushbox configuration (TOML 1.0).
      #
      # A line "#key = value" shows the default, or an example where there is none: uncomment it to change it.
      # A key without '#' must be filled in.
      # The environment overrides this file: PUSHBOX_SERVER_LISTEN is server.listen, and so on.
      # Times and sizes are numbers in the unit of the key's name, or strings such as "25s" and "64KiB".
      # Relative paths start at the folder of this file. "$CREDENTIALS_DIRECTORY/name" is a file that the systemd
      # unit names with LoadCredential=.

      """
    for section in sections {
      let marker = section.isOptional ? "#" : ""
      text += "\n# \(section.help)\n\(marker)[\(section.name)]\n"
      for key in ConfigurationKey.allCases where key.section == section.name {
        let definition = key.definition
        for line in definition.help.split(separator: "\n") { text += "# \(line)\n" }
        if definition.isRequired, !section.isOptional {
          text += "\(key.name) = \"\"\n"
        } else {
          text += "#\(key.name) = \(definition.fallback ?? definition.sample)\n"
        }
      }
    }
    return text
  }
}

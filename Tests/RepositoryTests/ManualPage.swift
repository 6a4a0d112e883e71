@testable import pushbox

extension CommandLineTexts {
  /// pushbox(1), in man(7).
  static var manual: String {
    var text = """
      .TH PUSHBOX 1 "" "pushbox \(Version.text)" "System Administration"
      .SH NAME
      pushbox \\- push server for crypto wallets
      .SH SYNOPSIS
      .B pushbox
      .I command
      .RI [ options ]
      .SH DESCRIPTION
      pushbox takes pushes of the WalletConnect relay and delivers them through APNs and FCM.
      .SH COMMANDS

      """
    for command in Command.all {
      text += ".SS \(escaped(command.name))\n.nf\n"
      for line in command.syntax.help.split(separator: "\n", omittingEmptySubsequences: false) {
        text += escaped(String(line)) + "\n"
      }
      text += ".fi\n"
    }
    text += """
      .SH EXIT STATUS
      .TP
      0
      Done.
      .TP
      1
      Failed; for check with \\-\\-strict, warnings; for health, not well.
      .TP
      2
      Wrong usage or configuration; for check, errors.
      .SH ENVIRONMENT
      Each key of the configuration has a variable that overrides the file: PUSHBOX_SERVER_LISTEN is
      server.listen. The variables of the Rust push server are understood too.
      .TP
      NO_COLOR
      When set and not empty, nothing is printed in colour.
      .TP
      CREDENTIALS_DIRECTORY
      Set by systemd for LoadCredential=. Paths in the configuration may begin with it.
      .TP
      NOTIFY_SOCKET, WATCHDOG_USEC, LISTEN_FDS
      The protocols of
      .BR sd_notify (3)
      and
      .BR sd_listen_fds (3).
      .SH FILES
      .TP
      /etc/pushbox/config.toml
      The configuration.
      .TP
      /var/lib/pushbox
      Registrations, delivery marks, and token.key, without which the registrations cannot be read.
      .TP
      /usr/share/doc/pushbox
      Documentation, with every key of the configuration in configuration.md.
      .SH SEE ALSO
      .BR systemctl (1),
      .BR journalctl (1)

      """
    return text
  }

  private static func escaped(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    // A dot or an apostrophe would begin a request.
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}

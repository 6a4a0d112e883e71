/// Paths that begin with `$CREDENTIALS_DIRECTORY`: the folder where systemd puts what a unit's
/// `LoadCredential=` names (systemd.exec(5), "Credentials").
enum CredentialPath {
  private static let variable = "CREDENTIALS_DIRECTORY"
  private static let prefix = "$CREDENTIALS_DIRECTORY/"

  static func folder(in environment: [String: String]) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// `path` with the folder in place of the variable; every other path as it is.
  static func expand(_ path: String, folder: String?) throws(KeyType.Mismatch) -> String {
    guard path.hasPrefix(prefix) else { return path }
    guard let folder else {
      throw KeyType.Mismatch(
        message: "names $\(variable), which is not set: systemd sets it for a unit with LoadCredential=; "
          + "name the file itself, or set the variable to try the configuration by hand")
    }
    return folder + "/" + path.dropFirst(prefix.count)
  }
}

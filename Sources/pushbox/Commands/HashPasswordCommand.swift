import Crypto
import EventLoop
import Glibc

/// `pushbox hash-password`: what goes into the configuration instead of the admin page's password.
enum HashPasswordCommand {
  static let command = Command(
    name: "hash-password", summary: "hash a password for the admin page",
    syntax: CommandSyntax(
      help: """
        Usage: pushbox hash-password

        Asks for a password twice, without showing it, and prints its hash for admin.password_hash. When
        standard input is no terminal, its first line is the password.
        """), run: { run($0) })

  private static let minimumLength = 8

  private static func run(_ arguments: ArraySlice<String>) -> Int32 {
    if case .exit(let status) = command.syntax.read(arguments) { return status }
    guard let password = isatty(STDIN_FILENO) == 1 ? ask() : readLine(strippingNewline: true) else {
      Terminal.printError("no password was given")
      return 1
    }
    guard password.unicodeScalars.count >= minimumLength, password.utf8.count <= 1024 else {
      Terminal.printError("a password must have \(minimumLength) characters at least, and 1024 bytes at most")
      return 1
    }
    do throws(CryptoError) {
      Terminal.print(try PasswordHash(of: password).text)
      return 0
    } catch {
      Terminal.printError("cannot hash the password: \(error)")
      return 1
    }
  }

  /// The password that was typed twice; nil when that was not the same.
  private static func ask() -> String? {
    guard let first = askOnce("Password: "), let second = askOnce("Once more: ") else { return nil }
    guard first == second else {
      Terminal.printError("these are two different passwords")
      return nil
    }
    return first
  }

  private static func askOnce(_ prompt: String) -> String? {
    Terminal.showPrompt(prompt)
    var shown = termios()
    guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return nil }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
      Terminal.printError("")
      // An interrupt waits until the terminal shows again what is typed.
      SignalSource.unblock([SIGINT, SIGTERM])
    }
    return readLine(strippingNewline: true)
  }
}

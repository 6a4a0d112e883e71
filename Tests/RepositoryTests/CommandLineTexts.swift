import Configuration

@testable import pushbox

/// Files of `packaging/` that follow from the table of commands.
enum CommandLineTexts {
  /// Paths from the repository's root, with what they must hold.
  static var files: [(path: String, text: String)] {
    [
      ("packaging/completions/pushbox.bash", bash),
      ("packaging/completions/_pushbox", zsh),
      ("packaging/completions/pushbox.fish", fish),
      ("packaging/man/pushbox.1", manual),
    ]
  }

  /// What an option's value is.
  private enum Value {
    case file
    case choice([String])
    case other
  }

  private static func value(_ option: String) -> Value {
    switch option {
    case "config", "output": .file
    case "format": .choice(["jsonl", "csv"])
    default: .other
    }
  }

  private static func names(_ syntax: CommandSyntax) -> [String] {
    (syntax.options.union(syntax.flags).union(["help"])).sorted().map { "--" + $0 }
  }

  private static let commandNames = Command.all.map(\.name)

  private static func words(_ command: Command) -> [String] {
    command.name == "help" ? commandNames : command.syntax.words
  }

  // MARK: bash

  private static var bash: String {
    var cases = ""
    for command in Command.all {
      cases += "    \(command.name)) options='\(names(command.syntax).joined(separator: " "))'"
      let words = words(command)
      if !words.isEmpty { cases += " words='\(words.joined(separator: " "))'" }
      if command.syntax.takesFiles { cases += " files=1" }
      cases += " ;;\n"
    }
    return """
      # Bash completion of pushbox.
      _pushbox() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        local options='' words='' files=''
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          mapfile -t COMPREPLY < <(compgen -W '\(commandNames.joined(separator: " "))' -- "$current")
          return
        fi
        case $previous in
          --config | --output)
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
            ;;
          --format)
            mapfile -t COMPREPLY < <(compgen -W 'jsonl csv' -- "$current")
            return
            ;;
        esac
        case ${COMP_WORDS[1]} in
      \(cases)  esac
        if [[ $current == -* ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        elif [ -n "$files" ]; then
          mapfile -t COMPREPLY < <(compgen -f -- "$current")
        elif [ "$COMP_CWORD" -eq 2 ]; then
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        fi
      }
      complete -o filenames -F _pushbox pushbox

      """
  }

  // MARK: zsh

  private static var zsh: String {
    var commands = ""
    var cases = ""
    for command in Command.all {
      commands += "  '\(command.name):\(quoted(command.summary))'\n"
      var specs: [String] = []
      for option in command.syntax.options.sorted() {
        switch value(option) {
        case .file: specs.append("'--\(option)=[\(option)]:file:_files'")
        case .choice(let values):
          specs.append("'--\(option)=[\(option)]:\(option):(\(values.joined(separator: " ")))'")
        case .other: specs.append("'--\(option)=[\(option)]:\(option):'")
        }
      }
      for flag in command.syntax.flags.sorted() { specs.append("'--\(flag)[\(flag)]'") }
      specs.append("'--help[say more]'")
      let words = words(command)
      if !words.isEmpty { specs.append("'1:word:(\(words.joined(separator: " ")))'") }
      if command.syntax.takesFiles { specs.append("'*:file:_files'") }
      cases += "  \(command.name)) _arguments \(specs.joined(separator: " ")) ;;\n"
    }
    return """
      #compdef pushbox
      # Zsh completion of pushbox.
      local -a commands
      commands=(
      \(commands))
      if ((CURRENT == 2)); then
        _describe command commands
        return
      fi
      local command=$words[2]
      shift words
      ((CURRENT--))
      case $command in
      \(cases)esac

      """
  }

  // MARK: fish

  private static var fish: String {
    var lines = ["# Fish completion of pushbox.", "complete -c pushbox -f"]
    for command in Command.all {
      lines.append(
        "complete -c pushbox -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'")
      let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.syntax.options.sorted() {
        let values =
          switch value(option) {
          case .file: "-r -F"
          case .choice(let values): "-x -a '\(values.joined(separator: " "))'"
          case .other: "-x"
          }
        lines.append("complete -c pushbox \(condition) -l \(option) \(values)")
      }
      for flag in command.syntax.flags.sorted() {
        lines.append("complete -c pushbox \(condition) -l \(flag)")
      }
      lines.append("complete -c pushbox \(condition) -l help")
      let words = words(command)
      if !words.isEmpty {
        lines.append("complete -c pushbox \(condition) -a '\(words.joined(separator: " "))'")
      }
      if command.syntax.takesFiles { lines.append("complete -c pushbox \(condition) -F") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// For single quotes of zsh and fish, and zsh's colons.
  private static func quoted(_ text: String) -> String {
    text.replacing("'", with: "’").replacing(":", with: " -")
  }
}

import Configuration

/// The options and operands that a command takes, and how they are read: `--name VALUE`, `--name=VALUE`,
/// `--flag`, operands in between, and `--` before operands that begin with a dash.
struct CommandSyntax: Sendable {
  /// What `pushbox COMMAND --help` prints, beginning with the usage line.
  var help: String
  /// Names of options with a value, without the dashes.
  var options: Set<String> = []
  var flags: Set<String> = []
  var operands: ClosedRange<Int> = 0...0
  /// What the first operand may be, when it is a word of ours.
  var words: [String] = []
  /// Whether an operand is the name of a file.
  var takesFiles = false

  struct Arguments {
    var options: [String: String] = [:]
    var flags: Set<String> = []
    var operands: [String] = []
  }

  enum Outcome {
    case arguments(Arguments)
    /// Help was asked for, or the usage is wrong and was said so: the exit status.
    case exit(Int32)
  }

  /// Reads the arguments; prints what is wrong with them.
  func read(_ arguments: ArraySlice<String>) -> Outcome {
    var read = Arguments()
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" {
        Terminal.print(help)
        return .exit(0)
      }
      if argument == "--" {
        read.operands += rest
        break
      }
      // A dash alone is an operand: standard input.
      guard argument.hasPrefix("-"), argument != "-" else {
        read.operands.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String((parts.first ?? "").drop { $0 == "-" })
      if parts.count == 1, flags.contains(name) {
        read.flags.insert(name)
      } else if options.contains(name) {
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
          return refuse("\(argument) needs a value")
        }
        read.options[name] = value
      } else {
        return refuse(unknownOption(argument, name))
      }
    }
    if let word = read.operands.first, !words.isEmpty, !words.contains(word) {
      return refuse("there is no '\(word)' here" + Self.suggestion(word, among: words))
    }
    guard operands.contains(read.operands.count) else {
      return refuse(read.operands.count < operands.lowerBound ? "something is missing" : "too many operands")
    }
    return .arguments(read)
  }

  /// Says what is wrong and how it is used.
  func refuse(_ problem: String) -> Outcome {
    Terminal.printError("\(problem)\n\n\(help)")
    return .exit(2)
  }

  private func unknownOption(_ argument: String, _ name: String) -> String {
    if flags.contains(name) { return "--\(name) takes no value" }
    let known = (options.union(flags).union(["help"])).sorted().map { "--" + $0 }
    return "there is no option \(argument)" + Self.suggestion("--" + name, among: known)
  }

  /// "; did you mean X?", when one of `candidates` is near.
  static func suggestion(_ name: String, among candidates: [String]) -> String {
    EditDistance.nearest(to: name, among: candidates).map { "; did you mean \($0)?" } ?? ""
  }
}

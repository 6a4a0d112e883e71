/// Code that reads what strangers send, to be called with any bytes whatever. A target returns, or ends the
/// process: by a trap of ours, a report of the address sanitizer, or a promise that did not hold (`promise`).
public struct FuzzTarget: Sendable {
  /// As in `Fuzz/Corpus/NAME` and `scripts/fuzz.sh NAME SECONDS`.
  public let name: String
  /// Longer inputs teach nothing new; as in `scripts/fuzz.sh`.
  public static let maxBytes = 4096
  private let body: @Sendable ([UInt8]) -> Void

  /// A target called `name`.
  public init(_ name: String, _ body: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.body = body
  }

  /// Gives the code one input.
  public func run(_ input: [UInt8]) {
    body(input)
  }

  /// Every target; `FuzzTests` and `make fuzz` go through this list.
  public static let all: [FuzzTarget] = [
    .http2Client, .http1Request, .json, .pushBody, .registrationBody, .adminBody, .toml, .jwt, .didKey,
    .pkcs12,
  ]
}

/// Ends the process when a promise of the code under test does not hold.
func promise(_ holds: Bool, _ words: @autoclosure () -> String, line: UInt = #line) {
  if !holds { fatalError("line \(line): \(words())") }
}

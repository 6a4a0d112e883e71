/// Why the server does not start, in words for the operator.
struct ServerError: Error, CustomStringConvertible, Sendable {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A part of a request that was refused, as the `fields` of an answer list it.
public struct RequestField: Equatable, Sendable {
  /// Where in the request it stands.
  public enum Location: String, Sendable {
    case body, header, path
  }

  /// Name of the header or of the JSON member; members of members joined by dots.
  public let field: String
  /// What is wrong with it and what is expected.
  public let description: String
  public let location: Location

  public init(_ field: String, _ description: String, _ location: Location) {
    self.field = field
    self.description = description
    self.location = location
  }
}

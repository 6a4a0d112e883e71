/// What a peer may send, in bytes unless said otherwise. HTTP/1.1 and HTTP/2 share these.
public struct HTTPLimits: Sendable, Hashable {
  /// The request line of HTTP/1.1 without its line end, or `:path` in HTTP/2; beyond it 414.
  public var requestLine = 8192
  /// All field lines of a request together; beyond it 431.
  public var fieldBytes = 16_384
  /// The number of field lines; beyond it 431.
  public var fieldCount = 100
  /// The body; beyond it 413.
  public var body = 1_048_576

  public init() {}
}

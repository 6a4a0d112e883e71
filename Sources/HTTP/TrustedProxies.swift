import Bytes
import EventLoop

/// Tells whose request it is when reverse proxies stand between a client and this server.
///
/// Each proxy appends the address that it was called from to `X-Forwarded-For`. What is right of the last
/// address that we do not trust was written by proxies that we do trust; everything left of it may be made up.
public struct TrustedProxies: Sendable {
  /// Addresses looked at in one request. No honest chain is that long.
  private static let maximumHops = 32
  private static let field = "x-forwarded-for"

  private let blocks: [IPAddressBlock]

  /// - Parameter blocks: where proxies are that tell the truth; none ignores the field.
  public init(_ blocks: [IPAddressBlock] = []) {
    self.blocks = blocks
  }

  public func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

  /// The address that a request counts for: the rightmost one that is not trusted. Nil only for a connection
  /// whose peer is not known.
  public func clientAddress(of request: HTTPRequest) -> IPAddress? {
    guard let peer = request.remoteAddress.flatMap({ IPAddress(bytes: $0.ipBytes) }) else { return nil }
    guard !blocks.isEmpty, contains(peer) else { return peer }
    var nearest = peer
    var hops = 0
    for value in request.fields.all(Self.field).reversed() {
      for member in value.split(separator: ",", omittingEmptySubsequences: false).reversed() {
        hops += 1
        // A trusted proxy that does not know who called it: nothing left of that can be believed.
        guard hops <= Self.maximumHops, let address = Self.address(member) else { return nearest }
        nearest = address
        guard contains(address) else { return address }
      }
    }
    return nearest
  }

  /// The peer of a request whose `X-Forwarded-For` is ignored because the peer is not trusted; nil when nothing
  /// is ignored.
  public func ignoredPeer(of request: HTTPRequest) -> IPAddress? {
    guard request.fields.first(Self.field) != nil,
      let peer = request.remoteAddress.flatMap({ IPAddress(bytes: $0.ipBytes) }), !contains(peer)
    else { return nil }
    return peer
  }

  /// An address as proxies write it: alone, with a port, or in brackets.
  private static func address(_ member: Substring) -> IPAddress? {
    var text = member.utf8[...]
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    while let first = text.first, isSpace(first) { text.removeFirst() }
    while let last = text.last, isSpace(last) { text.removeLast() }
    guard text.count <= 56 else { return nil }
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || isPort(rest) else { return nil }
      return IPAddress(String(Substring(text[text.index(after: text.startIndex)..<end])))
    }
    if let address = IPAddress(String(Substring(text))) { return address }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), isPort(text[colon...]) else { return nil }
    return IPAddress(String(Substring(text[..<colon])))
  }

  /// `:` and a number.
  private static func isPort(_ text: Substring.UTF8View) -> Bool {
    guard text.first == UInt8(ascii: ":"), let port = ASCIIDecimal.parse(text.dropFirst()) else {
      return false
    }
    return port <= UInt64(UInt16.max)
  }
}

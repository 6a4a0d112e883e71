import Store
import Telemetry

/// As bytes in the store: a version, then groups of a number's name and the number. Only what is not zero, so that a
/// quiet minute takes a few bytes; results go by their names, so that new ones do not change what is stored.
extension HistorySample {
  /// To be raised when `Histogram.latencyBounds` changes.
  private static let layoutVersion: UInt8 = 1

  private enum Group {
    /// Length of a result's name, the name, the count.
    static let push: UInt8 = 1
    /// Bucket, count.
    static let latency: UInt8 = 2
    /// Kind, accepted, failed.
    static let gateway: UInt8 = 3
    /// Kind, bucket, count.
    static let gatewayLatency: UInt8 = 4
  }

  func encode() -> [UInt8] {
    var out = [Self.layoutVersion]
    for (label, count) in zip(Self.labels, pushes) where count > 0 {
      out.append(Group.push)
      out.append(UInt8(truncatingIfNeeded: label.rawValue.utf8.count))
      out.append(contentsOf: label.rawValue.utf8)
      Self.append(count, to: &out)
    }
    for (bucket, count) in latency.enumerated() where count > 0 {
      out.append(contentsOf: [Group.latency, UInt8(truncatingIfNeeded: bucket)])
      Self.append(count, to: &out)
    }
    for (kind, gateway) in zip(TokenKind.allCases, gateways) where gateway != Gateway() {
      out.append(contentsOf: [Group.gateway, kind.rawValue])
      Self.append(gateway.accepted, to: &out)
      Self.append(gateway.failed, to: &out)
      for (bucket, count) in gateway.latency.enumerated() where count > 0 {
        out.append(contentsOf: [Group.gatewayLatency, kind.rawValue, UInt8(truncatingIfNeeded: bucket)])
        Self.append(count, to: &out)
      }
    }
    return out
  }

  /// nil when the bytes are of another layout or damaged. A result that is no more is left out.
  init?(_ bytes: Span<UInt8>) {
    self.init()
    var reader = Reader(bytes: bytes.withUnsafeBufferPointer { [UInt8]($0) })
    guard reader.byte() == Self.layoutVersion else { return nil }
    while let group = reader.byte() {
      guard read(group, &reader) else { return nil }
    }
  }

  private mutating func read(_ group: UInt8, _ reader: inout Reader) -> Bool {
    switch group {
    case Group.push:
      guard let length = reader.byte(), let name = reader.text(Int(length)), let count = reader.number()
      else {
        return false
      }
      if let index = Self.labels.firstIndex(where: { $0.rawValue == name }) { pushes[index] = count }
    case Group.latency:
      guard let bucket = reader.byte(), Int(bucket) < latency.count, let count = reader.number() else {
        return false
      }
      latency[Int(bucket)] = count
    case Group.gateway:
      guard let index = reader.kind(), let accepted = reader.number(), let failed = reader.number() else {
        return false
      }
      gateways[index].accepted = accepted
      gateways[index].failed = failed
    case Group.gatewayLatency:
      guard let index = reader.kind(), let bucket = reader.byte(),
        Int(bucket) < gateways[index].latency.count, let count = reader.number()
      else { return false }
      gateways[index].latency[Int(bucket)] = count
    default: return false
    }
    return true
  }

  /// Seven bits a byte, the lowest first, the high bit set on all but the last.
  private static func append(_ number: UInt64, to out: inout [UInt8]) {
    var rest = number
    while rest > 0x7F {
      out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    out.append(UInt8(truncatingIfNeeded: rest))
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    mutating func byte() -> UInt8? {
      guard position < bytes.count else { return nil }
      defer { position += 1 }
      return bytes[position]
    }

    mutating func text(_ count: Int) -> String? {
      guard count <= bytes.count - position else { return nil }
      defer { position += count }
      return String(validating: bytes[position..<position + count], as: UTF8.self)
    }

    /// The index of a kind.
    mutating func kind() -> Int? {
      guard let kind = byte().flatMap(TokenKind.init(rawValue:)) else { return nil }
      return TokenKind.allCases.firstIndex(of: kind)
    }

    mutating func number() -> UInt64? {
      var number: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        guard let byte = byte() else { return nil }
        number |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return number }
      }
      return nil
    }
  }
}

import COpenSSL

/// Whether both are the same bytes; the time taken does not depend on where they differ, only on their
/// lengths. For comparing secrets and authentication codes.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}

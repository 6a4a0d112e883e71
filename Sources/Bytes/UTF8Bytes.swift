extension String {
  /// Whether `test` holds for each byte of the text's UTF-8. Over the bytes in place, which takes a fraction
  /// of what the UTF-8 view's iterator does; all are looked at, so that the compiler may take several at once.
  @inlinable
  @inline(__always)
  public func allUTF8Bytes(_ test: (UInt8) -> Bool) -> Bool {
    let result = utf8.withContiguousStorageIfAvailable { bytes in
      var holds = true
      for byte in bytes { holds = test(byte) && holds }
      return holds
    }
    return result ?? utf8.allSatisfy(test)
  }
}

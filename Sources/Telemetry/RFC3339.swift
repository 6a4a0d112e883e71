import Glibc

/// Points in time as text (RFC 3339), in UTC with milliseconds: `2026-01-02T03:04:05.678Z`.
public enum RFC3339 {
  /// Now, in milliseconds since the epoch.
  public static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The text for a time given in milliseconds since the epoch.
  public static func text(milliseconds: Int64) -> String {
    var out: [UInt8] = []
    append(milliseconds: milliseconds, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends the text for a time given in milliseconds since the epoch.
  public static func append(milliseconds: Int64, to out: inout [UInt8]) {
    // Rounded down, so that times before the epoch have a positive fraction too.
    let fraction = ((milliseconds % 1000) + 1000) % 1000
    var seconds = time_t((milliseconds - fraction) / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    digits(Int(parts.tm_year) + 1900, 4, to: &out)
    out.append(UInt8(ascii: "-"))
    digits(Int(parts.tm_mon) + 1, 2, to: &out)
    out.append(UInt8(ascii: "-"))
    digits(Int(parts.tm_mday), 2, to: &out)
    out.append(UInt8(ascii: "T"))
    digits(Int(parts.tm_hour), 2, to: &out)
    out.append(UInt8(ascii: ":"))
    digits(Int(parts.tm_min), 2, to: &out)
    out.append(UInt8(ascii: ":"))
    digits(Int(parts.tm_sec), 2, to: &out)
    out.append(UInt8(ascii: "."))
    digits(Int(fraction), 3, to: &out)
    out.append(UInt8(ascii: "Z"))
  }

  private static func digits(_ value: Int, _ count: Int, to out: inout [UInt8]) {
    let start = out.count
    var value = value
    for _ in 0..<count {
      out.append(UInt8(truncatingIfNeeded: 0x30 + value % 10))
      value /= 10
    }
    out[start...].reverse()
  }
}

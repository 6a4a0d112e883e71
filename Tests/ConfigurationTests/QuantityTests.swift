import Testing

@testable import Configuration

@Suite struct QuantityTests {
  @Test(
    arguments: [
      ("500ms", 500), ("25s", 25_000), ("2m", 120_000), ("2min", 120_000), ("1h", 3_600_000),
      ("3d", 259_200_000),
      ("0s", 0), ("5 s", 5_000),
    ] as [(String, Int64)])
  func durations(text: String, milliseconds: Int64) {
    #expect(Quantity.milliseconds(of: text) == milliseconds)
  }

  @Test(arguments: [
    "", "5", "s", "-5s", "+5s", "1.5s", "5S", "5s ", " 5s", "5sec", "9223372036854775807s",
    "99999999999999999999ms",
  ])
  func refusesDurations(text: String) {
    #expect(Quantity.milliseconds(of: text) == nil)
  }

  @Test(
    arguments: [
      ("512B", 512), ("64KiB", 65_536), ("10MB", 10_000_000), ("1MiB", 1_048_576), ("64GiB", 68_719_476_736),
      ("1kB", 1_000), ("1TiB", 1_099_511_627_776),
    ] as [(String, Int64)])
  func sizes(text: String, bytes: Int64) {
    #expect(Quantity.bytes(of: text) == bytes)
  }

  @Test(arguments: ["64", "64K", "64kib", "KiB", "0x1B", "8388608TiB"]) func refusesSizes(text: String) {
    #expect(Quantity.bytes(of: text) == nil)
  }
}

@Suite struct EditDistanceTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "", 3), ("", "abc", 3), ("kitten", "sitting", 3), ("port", "port", 0),
    ("ab", "ba", 2),
  ])
  func distance(left: String, right: String, expected: Int) {
    #expect(EditDistance.between(left, right) == expected)
  }

  @Test func theNearestIsOnlyNamedWhenItIsNear() {
    let names = ["listen", "public_url", "workers"]
    #expect(EditDistance.nearest(to: "lisen", among: names) == "listen")
    #expect(EditDistance.nearest(to: "publicurl", among: names) == "public_url")
    #expect(EditDistance.nearest(to: "database", among: names) == nil)
    #expect(EditDistance.nearest(to: String(repeating: "w", count: 10_000), among: names) == nil)
  }
}

import EventLoop
import Glibc

/// Numbers that a seed decides (SplitMix64), so that a run's plan can be had again.
struct Randomness: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter part: plans with the same seed and other parts differ.
  init(seed: UInt64, part: UInt64) {
    state = seed &+ part &* 0xD1B5_4A32_D192_ED03
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &self))
  }
}

/// Lets time pass: what a chaos run consists of.
func pause(_ time: Duration) {
  var left = timespec(
    tv_sec: Int(time.wholeNanoseconds / 1_000_000_000), tv_nsec: Int(time.wholeNanoseconds % 1_000_000_000))
  var wanted = left
  while nanosleep(&wanted, &left) != 0, errno == EINTR { wanted = left }
}

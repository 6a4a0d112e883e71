import TestSupport
import Testing

/// What the executable needs of the system it runs on.
@Suite(.timeLimit(.minutes(10))) struct LinkageTests {
  private static let system: Set<String> = ["libc", "libm", "libpthread", "libstdc++", "libgcc_s"]
  /// What Swift's concurrency stands on; named by a build under a sanitizer.
  private static let runtime: Set<String> = ["libdispatch", "libBlocksRuntime"]
  private static let libraries: Set<String> = ["libssl", "libcrypto", "libnghttp2", "liblmdb"]

  @Test func linksNothingButItsLibrariesAndTheSwiftRuntime() throws {
    let path = ChildProcess.products + "/pushbox"
    let needed = try #require(
      ELFFile(Repository.read(path)).neededLibraries, "\(path) is no 64-bit little-endian ELF file")
    let names = Set(
      needed.map { String($0.prefix(upTo: $0.firstRange(of: ".so")?.lowerBound ?? $0.endIndex)) })
    // Foundation's names begin with libFoundation. A sanitizer asks for the last three of the C library.
    let others = names.subtracting(Self.system).subtracting(Self.runtime).subtracting(Self.libraries).filter {
      !$0.hasPrefix("libswift") && !$0.hasPrefix("ld-linux") && !["libdl", "librt", "libresolv"].contains($0)
    }
    #expect(others.isEmpty, "pushbox links \(others.sorted().joined(separator: " "))")
    #expect(names.isSuperset(of: Self.libraries))
  }
}

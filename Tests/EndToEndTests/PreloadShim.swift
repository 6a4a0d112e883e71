import Glibc
import TestSupport

/// A library that is loaded before the C library, so that its functions take the place of that one's. Compiled by the
/// test, never shipped.
enum PreloadShim {
  static var isAvailable: Bool { access("/usr/bin/cc", X_OK) == 0 }

  /// Compiles `source` in a folder; the variable that loads it.
  static func compile(_ source: String, in folder: TemporaryFolder) throws -> String {
    let path = folder.path + "/shim"
    try folder.write("shim.c", source)
    let compiler = try ChildProcess(
      "/usr/bin/cc", ["-shared", "-fPIC", "-O1", "-o", path + ".so", path + ".c", "-ldl"])
    _ = compiler.waitForOutput("\u{0}")
    guard compiler.wait() == 0 else { throw TestSupportError("cc: \(compiler.text)") }
    return "LD_PRELOAD=\(path).so"
  }
}

import Glibc

private let chosen: FuzzTarget = {
  let name = getenv("PUSHBOX_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    fatalError("set PUSHBOX_FUZZ_TARGET to one of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
  }
  return target
}()

/// What libFuzzer calls, in the program that scripts/fuzz.sh builds; nothing else does.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  chosen.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}

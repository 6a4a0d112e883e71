import Glibc
import Testing

@testable import Store

@Suite struct NewFileTests {
  private func text(_ path: String) -> String? {
    Folder.readSmallFile(path).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [true, false]) func itHasItsNameOnceItIsWhole(mayBeUnnamed: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/file"
    let file = try NewFile(path, mayBeUnnamed: mayBeUnnamed)
    try file.write(Array("whole".utf8))
    #expect(file.size == 5)
    #expect(access(path, F_OK) != 0)
    try file.finish()
    #expect(text(path) == "whole")
    #expect(Folder.names(in: folder.path) == ["file"])
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test(arguments: [true, false]) func nothingIsLeftOfOneThatDidNotGetSoFar(mayBeUnnamed: Bool) throws {
    let folder = try TemporaryFolder()
    do {
      let file = try NewFile(folder.path + "/file", mayBeUnnamed: mayBeUnnamed)
      try file.write(Array("half".utf8))
      // However the process ends, where the file system can.
      if mayBeUnnamed { #expect(Folder.names(in: folder.path).isEmpty) }
    }
    #expect(Folder.names(in: folder.path).isEmpty)
  }

  @Test(arguments: [true, false]) func itReplacesNothing(mayBeUnnamed: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/file"
    // Two at a time to one name.
    let files = try (0..<2).map { _ in try NewFile(path, mayBeUnnamed: mayBeUnnamed) }
    try files[0].write(Array("first".utf8))
    try files[0].finish()
    let taken = StoreError.invalidValue("\(path) exists already; give another name")
    #expect(throws: taken) { try files[1].finish() }
    #expect(throws: taken) { try NewFile(path, mayBeUnnamed: mayBeUnnamed) }
    #expect(text(path) == "first")
  }
}

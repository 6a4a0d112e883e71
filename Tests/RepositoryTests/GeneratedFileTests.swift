import Glibc
import Testing

/// Files that follow from others. With `PUSHBOX_UPDATE_EXAMPLE=1` they are written instead of compared.
@Suite struct GeneratedFileTests {
  @Test(arguments: CommandLineTexts.files.map(\.path))
  func theCommittedFileIsTheGeneratedOne(_ path: String) throws {
    let text = try #require(CommandLineTexts.files.first { $0.path == path }).text
    let file = Repository.root + "/" + path
    if getenv("PUSHBOX_UPDATE_EXAMPLE") != nil {
      let handle = try #require(fopen(file, "w"))
      defer { fclose(handle) }
      fputs(text, handle)
      return
    }
    let isEqual = String(decoding: Repository.read(file), as: UTF8.self) == text
    #expect(isEqual, "\(path) is outdated: run PUSHBOX_UPDATE_EXAMPLE=1 swift test --filter GeneratedFile")
  }
}

import Bytes
import Crypto
import Glibc
import Testing

/// Project Wycheproof's Ed25519 vectors, read from outside the repository.
@Suite struct WycheproofTests {
  static let path =
    "\(#filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined())"
    + "/../shared/vectors/ed25519/ed25519_test.json"

  static let text: String? = {
    guard let file = fopen(path, "r") else {
      print("SKIPPED: Ed25519 vectors are missing: \(path)")
      return nil
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(contentsOf: chunk[..<count])
    }
  }()

  @Test(.enabled(if: text != nil))
  func vectors() throws {
    var key: Ed25519PublicKey?
    var message: [UInt8] = []
    var signature: [UInt8] = []
    var count = 0
    var validCount = 0
    // The file holds one member a line: "pk" begins a group, "result" ends a test.
    for line in try #require(Self.text).split(separator: "\n") {
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count == 5 else { continue }
      let value = String(parts[3])
      switch parts[1] {
      case "pk": key = try Ed25519PublicKey(rawBytes: #require(Hex.decode(value)))
      case "msg": message = try #require(Hex.decode(value))
      case "sig": signature = try #require(Hex.decode(value))
      case "result":
        let valid = try #require(key).verify(signature: signature, message: message)
        #expect(valid == (value == "valid"), "test \(count + 1)")
        count += 1
        validCount += valid ? 1 : 0
      default: break
      }
    }
    #expect(count == 116)
    #expect(validCount == 61)
  }
}

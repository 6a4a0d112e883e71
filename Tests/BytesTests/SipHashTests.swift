import Bytes
import Testing

@Suite struct SipHashTests {
  /// From the paper's appendix and its reference implementation: inputs 00, 01, 02… under the key 00…0F.
  @Test(
    arguments: [
      (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137),
      (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5),
    ] as [(Int, UInt64)])
  func vectors(_ count: Int, _ expected: UInt64) {
    let hash = SipHash(key: Array(0..<16))
    #expect(hash.hash((0..<count).map { UInt8($0) }) == expected)
  }
}

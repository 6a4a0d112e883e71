import Crypto
import Testing

@Suite struct PasswordHashTests {
  /// Made by Python's hashlib.scrypt.
  private static let known =
    "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8"

  @Test func anotherImplementationsHashIsTaken() throws {
    let hash = try #require(PasswordHash(Self.known))
    #expect(hash.matches("correct horse battery"))
    for wrong in ["", "correct horse batter", "correct horse battery ", "Correct horse battery"] {
      #expect(!hash.matches(wrong))
    }
    #expect(hash.text == Self.known)
  }

  @Test func ourOwnIsSaltedAndReadBack() throws {
    let cost = PasswordHash.Cost(logN: 8, r: 8, p: 1)
    let first = try PasswordHash(of: "pässword", cost: cost)
    let second = try PasswordHash(of: "pässword", cost: cost)
    #expect(first.text != second.text)
    let read = try #require(PasswordHash(first.text))
    #expect(read == first)
    #expect(read.matches("pässword"))
    #expect(PasswordHash.Cost.standard == PasswordHash.Cost(logN: 15, r: 8, p: 3))
  }

  @Test(arguments: [
    "", "$scrypt$", "plain", "$argon2id$v=19$m=1,t=1,p=1$c2FsdHNhbHQ$aGFzaA",
    "$scrypt$ln=10,r=8$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8",
    // Would take 8 GiB.
    "$scrypt$ln=20,r=64,p=1$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8",
    "$scrypt$ln=20,r=32,p=1$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8",
    "$scrypt$ln=0,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8",
    "$scrypt$ln=-1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8",
    "$scrypt$ln=10,r=8,p=1$c2hvcnQ$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8",
    "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$c2hvcnQ", "$scrypt$ln=10,r=8,p=1$!$!",
  ])
  func anythingElseIsRefused(_ text: String) {
    #expect(PasswordHash(text) == nil)
  }
}

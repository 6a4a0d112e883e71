import Testing

@testable import HTTP

@Suite struct HTTPFieldsTests {
  @Test func namesAreLoweredAndOrderIsKept() {
    var fields: HTTPFields = [HTTPField("Accept", "a")]
    fields.add("X-Two", "1")
    fields.add("x-two", "2")
    #expect(fields.map(\.name) == ["accept", "x-two", "x-two"])
    #expect(fields.first("x-two") == "1")
    #expect(fields.all("x-two") == ["1", "2"])
    fields.set("X-TWO", "3")
    #expect(fields.all("x-two") == ["3"])
    fields.remove("accept")
    #expect(!fields.contains("accept"))
    #expect(fields.count == 1)
  }

  @Test func tokenTableMatchesTheGrammar() {
    let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(HTTPCharacters.isToken(byte) == tokens.contains(byte))
    }
  }

  @Test func fieldsThatWouldSplitAreNotSendable() {
    #expect(HTTPCharacters.isSendable(HTTPField("a", "b c\td\u{E9}")))
    for value in ["a\r\nb: c", "a\nb", "a\rb", "a\0b", "\u{7F}"] {
      #expect(!HTTPCharacters.isSendable(HTTPField("a", value)))
    }
    for name in ["", "a b", "a:b", "a\r\nb", "\u{E9}"] {
      #expect(!HTTPCharacters.isSendable(HTTPField(name, "")))
    }
  }
}

@Suite struct HTTPResponderTests {
  final class Sink: HTTPResponseSink {
    var sent: [(status: Int, stream: Int32)] = []
    func send(_ response: HTTPResponse, stream: Int32) { sent.append((response.status, stream)) }
  }

  @Test func onlyTheFirstAnswerCounts() {
    let sink = Sink()
    let responder = HTTPResponder(sink: sink, stream: 3)
    responder.respond(.empty(204))
    responder.respond(.empty(200))
    responder.cancel()
    #expect(sink.sent.map(\.status) == [204])
    #expect(sink.sent.map(\.stream) == [3])
    #expect(responder.hasResponded)
    #expect(!responder.isCancelled)
  }

  @Test func lettingGoAnswers500() {
    let sink = Sink()
    _ = HTTPResponder(sink: sink, stream: 1)
    #expect(sink.sent.map(\.status) == [500])
  }

  @Test func cancellationIsToldOnceAndDropsTheAnswer() {
    let sink = Sink()
    var calls = 0
    do {
      let responder = HTTPResponder(sink: sink, stream: 1)
      responder.onCancel = { calls += 1 }
      responder.cancel()
      responder.cancel()
      responder.respond(.empty(200))
      #expect(responder.isCancelled)
      responder.onCancel = { calls += 10 }
    }
    #expect(sink.sent.isEmpty)
    #expect(calls == 11)
  }
}

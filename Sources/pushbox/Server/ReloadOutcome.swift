import JSON

/// What came of one reload, as the server tells it to `pushbox reload`. Holds no secret.
struct ReloadOutcome: Sendable, Equatable {
  /// What is in effect now and was not before, in words.
  var changes: [String] = []
  /// What works but is most likely not wanted.
  var warnings: [String] = []
  /// Why nothing changed, one text a problem with its place; empty when the configuration is in effect.
  var problems: [String] = []

  var isDone: Bool { problems.isEmpty }

  /// `{"reloaded": true, "changes": [...], "warnings": [...], "problems": [...]}`.
  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("reloaded", isDone)
    for (name, texts) in [("changes", changes), ("warnings", warnings), ("problems", problems)] {
      writer.key(name)
      writer.beginArray()
      for text in texts { writer.value(text) }
      writer.endArray()
    }
    writer.endObject()
    return writer.string
  }
}

extension ReloadOutcome {
  /// nil when `json` is not what `json` gives.
  init?(json: [UInt8]) {
    guard let value = try? JSON.parse(json), let isDone = value["reloaded"]?.boolValue else { return nil }
    func texts(_ name: String) -> [String] {
      value[name]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
    self.init(changes: texts("changes"), warnings: texts("warnings"), problems: texts("problems"))
    guard self.isDone == isDone else { return nil }
  }
}

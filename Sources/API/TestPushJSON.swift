import JSON
import Service

/// A test push in the shape of `TestPush` in docs/openapi.yaml.
public enum TestPushJSON {
  /// `{"steps": […], "result": {…}}`.
  public static func text(_ steps: [TestPush.Step], _ outcome: TestPush.Outcome) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("steps")
    writer.beginArray()
    for step in steps { write(step, to: &writer) }
    writer.endArray()
    writer.key("result")
    write(outcome, to: &writer)
    writer.endObject()
    return writer.string
  }

  public static func write(_ step: TestPush.Step, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", step.name.rawValue)
    writer.member("ok", step.isOK)
    writer.key("at_ms")
    writer.value(milliseconds(step.elapsed))
    writer.member("text", step.text)
    writer.endObject()
  }

  public static func write(_ outcome: TestPush.Outcome, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("ok", outcome.isOK)
    writer.member("outcome", outcome.result.label.rawValue)
    writer.member("text", outcome.text)
    writer.key("advice")
    if let advice = outcome.advice { writer.value(advice) } else { writer.null() }
    writer.key("duration_ms")
    writer.value(milliseconds(outcome.duration))
    writer.endObject()
  }

  /// With one decimal.
  private static func milliseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) * 1000 + Double(attoseconds / 100_000_000_000_000) / 10
  }
}

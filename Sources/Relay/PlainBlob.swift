import Bytes
import JSON

/// The blob of a push in clear text: what `PushBody` decodes (WalletConnect specification, push server).
public enum PlainBlob {
  /// Base64 of `{"title": …, "body": …}`.
  public static func encode(title: String, body: String) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("title", title)
    writer.member("body", body)
    writer.endObject()
    return Base64.encode(writer.bytes)
  }
}

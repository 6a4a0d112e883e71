import Bytes
import HTTP

extension FuzzTarget {
  /// The parser of HTTP/1.1 requests. However the bytes are cut into pieces, the same requests must come out:
  /// what depends on the cut is what smuggling feeds on. The first byte says where to cut.
  static let http1Request = FuzzTarget("HTTP1Request") { input in
    guard let step = input.first else { return }
    let bytes = Array(input.dropFirst())
    let whole = HTTP1Run(bytes, step: bytes.count)
    promise(whole == HTTP1Run(bytes, step: max(1, Int(step))), "the requests depend on the pieces")
    promise(whole == HTTP1Run(bytes, step: 1), "the requests depend on the pieces")
  }
}

/// What the parser made of some bytes.
private struct HTTP1Run: Equatable {
  private static let bodyLimit = 512
  var requests: [String] = []
  var failure: HTTP1Error?

  init(_ bytes: [UInt8], step: Int) {
    var limits = HTTPLimits()
    limits.body = Self.bodyLimit
    limits.requestLine = 256
    limits.fieldBytes = 1024
    limits.fieldCount = 16
    var parser = HTTP1RequestParser(limits: limits)
    var input = ByteBuffer()
    var rest = bytes[...]
    do throws(HTTP1Error) {
      repeat {
        input.append(Array(rest.prefix(max(1, step))))
        rest = rest.dropFirst(max(1, step))
        var hasMore = true
        while hasMore {
          switch try parser.next(&input) {
          case .request(let parsed): take(parsed)
          case .expectsContinue: break
          case .needsMore: hasMore = false
          }
        }
      } while !rest.isEmpty
    } catch {
      failure = error
      promise((400...505).contains(error.status) && !error.reason.isEmpty, "an error without an answer")
    }
  }

  private mutating func take(_ parsed: HTTP1Request) {
    let request = parsed.request
    promise(request.path.hasPrefix("/") || request.path == "*", "the path \(request.path)")
    promise(request.body.count <= Self.bodyLimit, "a body over its limit")
    promise(request.fields.count <= 16, "fields over their limit")
    promise(parsed.isHTTP10 || request.authority != nil, "HTTP/1.1 without Host")
    for field in request.fields {
      promise(
        field.value.utf8.allSatisfy { $0 == 9 || ($0 >= 0x20 && $0 != 0x7F) },
        "a control character in the field \(field.name)")
    }
    let fields = request.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    requests.append(
      "\(request.method) \(request.path) \(request.query ?? "-") \(request.authority ?? "-") "
        + "\(parsed.isPersistent)\n\(fields)\n\(request.body)")
  }
}

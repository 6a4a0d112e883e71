import EventLoop
import HTTP
import Telemetry

/// What the log tells of answers that are refusals.
struct RefusalLog {
  private let log: Log
  private let proxies: TrustedProxies

  init(_ log: Log, _ proxies: TrustedProxies) {
    self.log = log
    self.proxies = proxies
  }

  /// - Parameter start: when the request came.
  func note(
    _ response: HTTPResponse, to request: HTTPRequest, _ requestID: String, since start: MonotonicTime
  ) {
    guard response.status >= 400 else { return }
    log.debug(
      "request refused or failed",
      [
        "method": .string(request.method), "status": .number(response.status),
        "request": .string(requestID), "peer": .string(request.remoteAddress?.description ?? ""),
        "from": .string(proxies.clientAddress(of: request)?.description ?? ""),
        "duration": .milliseconds(.now() - start),
      ])
  }
}

import EventLoop
import Telemetry

/// Takes a renewed certificate into use as soon as its files have changed, whether or not the configuration is
/// watched: who renews it knows nothing of pushbox. The loop's thread only.
struct CertificateReloader {
  let server: Server
  let log: Log

  /// Watches from now on, for as long as `loop` runs.
  func start(on loop: EventLoop) {
    ConfigurationWatch(
      loop: loop,
      files: { [server] in server.configuration.tls.map { [$0.certificateFile, $0.keyFile] } },
      isOutdated: { false }, onChange: { self.reload() }
    ).start()
  }

  private func reload() {
    do throws(ServerError) {
      guard let certificate = try server.reloadCertificate() else { return }
      log.info("certificate reloaded: \(certificate.summary)")
    } catch {
      log.error("certificate not reloaded, the one in use stays: \(error)")
    }
  }
}

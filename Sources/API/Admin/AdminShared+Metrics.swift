import Service
import Store
import Telemetry

/// Metrics that are read from what there is when somebody asks.
extension AdminShared {
  /// Declares them: the store, the build, and numbers under the names of the Rust push server
  /// (WalletConnect/push-server, src/metrics) where they mean the same, so that its dashboards go on.
  public func exposeMetrics(version: String) {
    registry.gauge(
      "pushbox_build_info", help: "1, with the version that runs.", labels: [("version", version)],
      read: { 1 })
    let startedAt = self.startedAt
    registry.gauge(
      "process_start_time_seconds", help: "When the process started, in seconds since the epoch.",
      read: { Double(startedAt) / 1000 })
    exposeStore()
    exposeCertificates()
    exposeRustNames()
  }

  private func exposeStore() {
    for (part, path) in [
      ("registrations", \StoreStatus.registrations), ("deliveries", \StoreStatus.deliveriesOrNone),
    ] {
      registry.gauge(
        "pushbox_store_used_bytes", help: "Bytes in use.", labels: [("part", part)],
        read: { [weak self] in Double(self?.storeStatus?[keyPath: path].usedBytes ?? 0) })
      registry.gauge(
        "pushbox_store_size_bytes", help: "Bytes that may be used.", labels: [("part", part)],
        read: { [weak self] in Double(self?.storeStatus?[keyPath: path].mapSize ?? 0) })
    }
    for kind in TokenKind.allCases {
      for (state, path) in [("active", \RegistrationCounts.active), ("tombstoned", \.tombstoned)] {
        registry.gauge(
          "pushbox_registrations", help: "Registrations in the store.",
          labels: [("type", kind.name), ("state", state)],
          read: { [weak self] in Double(self?.registrationCounts?[keyPath: path][kind] ?? 0) })
      }
    }
    registry.gauge(
      "pushbox_configuration_reload_ok", help: "1 unless the latest reload changed nothing.",
      read: { [weak self] in self?.host?.reloadState.problems.isEmpty == false ? 0 : 1 })
  }

  private func exposeCertificates() {
    for certificate in OwnCertificate.allCases {
      registry.gauge(
        "pushbox_certificate_expiration_timestamp_seconds",
        help: "When the certificate ends, in seconds since the epoch.",
        labels: [("certificate", certificate.rawValue)],
        read: { [weak self] in self?.host?.expiry(of: certificate).map { Double($0 / 1000) } })
    }
  }

  private func exposeRustNames() {
    let metrics = service.metrics
    registry.counter(
      "received_notifications_total", help: "Pushes that came in, as the Rust push server counts them.",
      read: { Double(PushResultLabel.allCases.reduce(0) { $0 + metrics.pushes[$1] }) })
    registry.counter(
      "sent_apns_notifications_total", help: "Notifications that APNs took.",
      read: { Double(metrics.answers(.accepted, [.apns, .apnsSandbox])) })
    registry.counter(
      "sent_fcm_v1_notifications_total", help: "Notifications that FCM took.",
      read: { Double(metrics.answers(.accepted, [.fcm])) })
    registry.counter(
      "registered_clients_total", help: "Clients that registered for the first time.",
      read: { Double(metrics.registrations[.created]) })
    registry.counter(
      "client_suspensions_total", help: "Answers of gateways that a device token is dead.",
      read: { Double(metrics.answers(.deadToken, TokenKind.allCases)) })
  }
}

extension StoreStatus {
  fileprivate var deliveriesOrNone: Space { deliveries ?? registrations }
}

extension ServiceMetrics {
  fileprivate func answers(_ label: GatewayAnswerLabel, _ kinds: [TokenKind]) -> UInt64 {
    kinds.reduce(0) { $0 + (gatewayAnswers[$1]?[label] ?? 0) }
  }
}

extension DeliveredMarks {
  /// Opens the environment at `path`. A damaged file is set aside and begun anew, told to `warn`.
  static func open(
    _ folder: DeliveriesFolder, mapSize: UInt64?, time: UInt64, warn: (String) -> Void,
    onUnusable: @escaping @Sendable (StoreError) -> Void
  ) throws(StoreError) -> DeliveredMarks {
    try Folder.create(folder.path)
    if let reason = folder.distrust() {
      try setAside(folder, because: reason, time: time, warn: warn)
    }
    try folder.markOpen()
    do throws(StoreError) {
      return try open(folder, mapSize, onUnusable)
    } catch {
      switch error {
      case .damaged(_, let detail): try setAside(folder, because: detail, time: time, warn: warn)
      case .formatMismatch, .newerSchema:
        try setAside(folder, because: "another version wrote it", time: time, warn: warn)
      default: throw error
      }
      return try open(folder, mapSize, onUnusable)
    }
  }

  private static func open(
    _ folder: DeliveriesFolder, _ mapSize: UInt64?, _ onUnusable: @escaping @Sendable (StoreError) -> Void
  ) throws(StoreError) -> DeliveredMarks {
    let environment = try LMDBEnvironment(
      path: folder.path,
      settings: .init(
        mapSize: mapSize, mapSizeKey: "store.deliveries_map_size", isDurable: false, mayCreate: true,
        onUnusable: onUnusable))
    try environment.fillShortFile()
    return try DeliveredMarks(environment)
  }

  private static func setAside(
    _ folder: DeliveriesFolder, because reason: String, time: UInt64, warn: (String) -> Void
  ) throws(StoreError) {
    guard let target = try folder.setAside(time: time) else { return }
    warn(
      "delivered marks in \(folder.path) can't be used: \(reason); begun anew, the old file is \(target); "
        + "a push the relay repeats now may be shown twice")
  }
}

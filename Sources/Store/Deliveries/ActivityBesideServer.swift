import Glibc

extension Store {
  /// The pushes to a client, for a command: `StoreReader.activity` knows them only in the process that serves.
  /// nil when there were none lately, or when the delivery marks cannot be trusted.
  ///
  /// - Parameter path: the store's folder.
  public static func activity(_ key: ClientKey, path: String) throws(StoreError) -> PushActivity? {
    let folder = DeliveriesFolder(path: path + "/deliveries")
    guard access(folder.path + "/data.mdb", F_OK) == 0, folder.distrust() == nil else { return nil }
    let environment = try LMDBEnvironment(
      path: folder.path, settings: .init(mapSize: nil, isDurable: false, mayCreate: false))
    // Reading what a shortened file lacks would end the process; the server mends it.
    guard environment.shortLength == nil else { return nil }
    let marks = try DeliveredMarks(environment)
    let slot = try ReadSlot(environment)
    let transaction = try slot.begin()
    return try marks.activity.activity(key.bytes, in: transaction)
  }
}

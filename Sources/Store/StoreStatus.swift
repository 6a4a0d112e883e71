/// How full and how busy the store is.
public struct StoreStatus: Equatable, Sendable {
  public struct Space: Equatable, Sendable {
    /// Bytes in use, pages that can be used again not counted.
    public var usedBytes: UInt64
    /// Bytes that may be used.
    public var mapSize: UInt64
    /// 0 to 100.
    public var percent: Int
  }

  public var registrations: Space
  public var deliveries: Space?
  public var registrationCommits: UInt64
  public var deliveryCommits: UInt64
}

extension Store {
  /// Reads the lists of free pages: for status pages, not for each push.
  public func status() throws(StoreError) -> StoreStatus {
    StoreStatus(
      registrations: try Self.space(of: registrations.environment),
      deliveries: try deliveries.map { (marks) throws(StoreError) in try Self.space(of: marks.environment) },
      registrationCommits: registrationCommitCount, deliveryCommits: deliveryCommitCount)
  }

  private static func space(of environment: LMDBEnvironment) throws(StoreError) -> StoreStatus.Space {
    let transaction = try ReadSlot(environment).begin()
    let free = try transaction.freePageCount()
    let space = environment.spaceInUse()
    let used = UInt64(max(0, space.highestPage - free)) * UInt64(space.pageSize)
    let percent = used.multipliedReportingOverflow(by: 100).partialValue / max(1, environment.usableSize)
    return StoreStatus.Space(
      usedBytes: used, mapSize: environment.usableSize, percent: Int(min(100, percent)))
  }
}

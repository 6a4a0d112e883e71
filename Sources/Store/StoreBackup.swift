extension Store {
  /// Writes a compacted copy of the registrations to a descriptor, such as a pipe, and waits until all of it was taken.
  public func writeRegistrations(to descriptor: Int32) throws(StoreError) {
    try registrations.environment.copy(to: descriptor, path: registrations.environment.path)
  }

  /// Writes a compacted copy of the registrations to a new file, and waits until it is on the disk. It is the
  /// `data.mdb` of a registrations folder. Runs beside writers; takes as long as the disk does.
  public func backUpRegistrations(to file: NewFile) throws(StoreError) {
    try registrations.environment.copy(to: file.descriptor, path: file.path)
    try file.finish()
  }
}

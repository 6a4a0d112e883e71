/// How far long work on the store is.
public enum StoreProgress: Sendable, Equatable {
  /// Bytes of a file.
  case copied(Int, of: Int)
  /// Registrations, whatever is done with each.
  case registrations(Int, of: Int)
}

/// Something the writer thread applies in a transaction and answers after the commit.
///
/// `apply` may run more than once (a batch that failed is retried in parts), so it must depend on nothing but
/// the transaction and its own constants.
class WriteOperation: @unchecked Sendable {
  // Safe to share: handed to the writer thread through its queue and touched only there from then on.
  func apply(_ transaction: inout WriteTransaction) throws(StoreError) {}
  /// After the commit: hands out what the last `apply` gave.
  func succeed() {}
  func fail(_ error: StoreError) {}
}

/// An operation that answers with a `Value`.
final class ValueOperation<Value: Sendable>: WriteOperation, @unchecked Sendable {
  private let body: @Sendable (inout WriteTransaction) throws(StoreError) -> Value
  private let completion: @Sendable (Result<Value, StoreError>) -> Void
  private var value: Value?

  init(
    _ body: @escaping @Sendable (inout WriteTransaction) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    self.body = body
    self.completion = completion
  }

  override func apply(_ transaction: inout WriteTransaction) throws(StoreError) {
    value = try body(&transaction)
  }

  override func succeed() {
    completion(value.map { .success($0) } ?? .failure(.closed))
  }

  override func fail(_ error: StoreError) {
    completion(.failure(error))
  }
}

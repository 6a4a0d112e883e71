import Bytes

/// The process's metrics, rendered in Prometheus' text format 0.0.4. Every series is declared once, with
/// its labels' values, so nothing that comes from outside can make their number grow.
public final class MetricsRegistry: Sendable {
  /// The `Content-Type` of what `render()` gives.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// A label's name and value.
  public typealias Label = (name: String, value: String)

  private enum Series: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    /// Nil: there is nothing to read now.
    case reading(@Sendable () -> Double?)
    case histogram(Histogram)
  }

  private struct Family: Sendable {
    var name: String
    var help: String
    var type: String
    /// By rendered labels, in order of declaration.
    var series: [(labels: String, series: Series)] = []
  }

  private let families = Locked<[Family]>([])

  public init() {}

  /// Declares a counter; the one already there when `name` and `labels` were declared before.
  public func counter(_ name: String, help: String, labels: [Label] = []) -> Counter {
    let series = declare(name, help, "counter", labels) { .counter(Counter()) }
    guard case .counter(let counter) = series else { return Counter() }
    return counter
  }

  /// Declares a gauge; the one already there when `name` and `labels` were declared before.
  public func gauge(_ name: String, help: String, labels: [Label] = []) -> Gauge {
    let series = declare(name, help, "gauge", labels) { .gauge(Gauge()) }
    guard case .gauge(let gauge) = series else { return Gauge() }
    return gauge
  }

  /// Declares a gauge that is read by `read` when the metrics are rendered, on the rendering thread. While it
  /// gives nil the series is left out.
  public func gauge(
    _ name: String, help: String, labels: [Label] = [], read: @escaping @Sendable () -> Double?
  ) {
    _ = declare(name, help, "gauge", labels) { .reading(read) }
  }

  /// Declares a histogram; the one already there when `name` and `labels` were declared before.
  ///
  /// - Parameter bounds: inclusive upper bounds in milliseconds, rising.
  public func histogram(
    _ name: String, help: String, labels: [Label] = [], bounds: [UInt64] = Histogram.latencyBounds
  ) -> Histogram {
    let series = declare(name, help, "histogram", labels) { .histogram(Histogram(bounds: bounds)) }
    guard case .histogram(let histogram) = series else { return Histogram(bounds: bounds) }
    return histogram
  }

  /// Declares a histogram; the one already there when `name` and `labels` were declared before.
  ///
  /// - Parameter microsecondBounds: inclusive upper bounds in microseconds, rising.
  public func histogram(
    _ name: String, help: String, labels: [Label] = [], microsecondBounds bounds: [UInt64]
  ) -> Histogram {
    let series = declare(name, help, "histogram", labels) {
      .histogram(Histogram(microsecondBounds: bounds))
    }
    guard case .histogram(let histogram) = series else { return Histogram(microsecondBounds: bounds) }
    return histogram
  }

  /// Declares a counter that is read by `read` when the metrics are rendered, on the rendering thread.
  public func counter(
    _ name: String, help: String, labels: [Label] = [], read: @escaping @Sendable () -> Double
  ) {
    _ = declare(name, help, "counter", labels) { .reading(read) }
  }

  /// Declares one counter for each value of `Value`, which becomes the label `label`.
  public func counters<Value: CaseIterable & Hashable & RawRepresentable<String> & Sendable>(
    _ name: String, help: String, by label: String, _ values: Value.Type, labels: [Label] = []
  ) -> CounterFamily<Value> {
    var counters: [Value: Counter] = [:]
    for value in Value.allCases {
      counters[value] = counter(name, help: help, labels: labels + [(label, value.rawValue)])
    }
    return CounterFamily(counters: counters)
  }

  private func declare(
    _ name: String, _ help: String, _ type: String, _ labels: [Label], make: () -> Series
  ) -> Series {
    let rendered = Self.render(labels)
    return families.withLock { families in
      let index =
        families.firstIndex { $0.name == name && $0.type == type } ?? families.endIndex
      if index == families.endIndex {
        families.append(Family(name: name, help: help, type: type))
      }
      if let known = families[index].series.first(where: { $0.labels == rendered }) { return known.series }
      let series = make()
      families[index].series.append((rendered, series))
      return series
    }
  }

  /// All metrics as text, families in order of declaration.
  public func render() -> [UInt8] {
    // Copied out first: a reading must not run under the lock.
    let families = families.withLock { $0 }
    var out: [UInt8] = []
    for family in families {
      out.append(contentsOf: "# HELP \(family.name) ".utf8)
      Self.appendEscaped(family.help, quotes: false, to: &out)
      out.append(contentsOf: "\n# TYPE \(family.name) \(family.type)\n".utf8)
      for (labels, series) in family.series {
        Self.append(series, named: family.name, labels, to: &out)
      }
    }
    return out
  }

  private static func append(_ series: Series, named name: String, _ labels: String, to out: inout [UInt8]) {
    func line(_ suffix: String, _ labels: String, _ value: some CustomStringConvertible) {
      out.append(contentsOf: name.utf8)
      out.append(contentsOf: suffix.utf8)
      if !labels.isEmpty { out.append(contentsOf: "{\(labels)}".utf8) }
      out.append(contentsOf: " \(value)\n".utf8)
    }
    switch series {
    case .counter(let counter): line("", labels, counter.value)
    case .gauge(let gauge): line("", labels, gauge.value)
    case .reading(let read):
      if let value = read() { line("", labels, number(value)) }
    case .histogram(let histogram):
      let snapshot = histogram.snapshot
      let separator = labels.isEmpty ? "" : ","
      for (bound, count) in zip(histogram.microsecondBounds, snapshot.cumulative) {
        line("_bucket", "\(labels)\(separator)le=\"\(number(Double(bound) / 1_000_000))\"", count)
      }
      line("_bucket", "\(labels)\(separator)le=\"+Inf\"", snapshot.count)
      line("_sum", labels, number(Double(snapshot.totalMicroseconds) / 1_000_000))
      line("_count", labels, snapshot.count)
    }
  }

  /// Infinities and NaN are spelt as the format wants them.
  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return value.description
  }

  private static func render(_ labels: [Label]) -> String {
    var out: [UInt8] = []
    for (index, label) in labels.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.append(contentsOf: "\(label.name)=\"".utf8)
      appendEscaped(label.value, quotes: true, to: &out)
      out.append(UInt8(ascii: "\""))
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Backslash and line feed are escaped everywhere, quotes in label values only.
  private static func appendEscaped(_ text: String, quotes: Bool, to out: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): out.append(contentsOf: "\\\\".utf8)
      case UInt8(ascii: "\n"): out.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\"") where quotes: out.append(contentsOf: "\\\"".utf8)
      default: out.append(byte)
      }
    }
  }
}

/// One counter for each value of a label.
public struct CounterFamily<Value: CaseIterable & Hashable & Sendable>: Sendable {
  private let counters: [Value: Counter]

  init(counters: [Value: Counter]) {
    self.counters = counters
  }

  public func increment(_ value: Value, by amount: UInt64 = 1) {
    counters[value]?.increment(by: amount)
  }

  /// The count for `value`.
  public subscript(value: Value) -> UInt64 { counters[value]?.value ?? 0 }
}

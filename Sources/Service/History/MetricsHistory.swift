import Bytes
import EventLoop
import Store
import Telemetry

/// How many pushes there were and how long they took: by the second for an hour, in memory, and by the minute for 30
/// days, in the store. Made of the counters that there are anyway, so a push pays nothing for it.
public final class MetricsHistory: Sendable {
  /// Seconds kept in memory.
  public static let seconds: UInt64 = 3600
  /// Minutes kept in the store.
  public static let minutes = Store.historyRetention
  public static let minutesPerDay: UInt64 = 24 * 60

  private struct Content {
    var totals: HistorySample
    /// The second that `totals` was read at, since the epoch.
    var second: UInt64
    /// By second modulo `seconds`; nil where nothing happened.
    var recent: [HistorySample?]
    /// Of the minute that is not over.
    var minute = HistorySample()
  }

  private let metrics: ServiceMetrics
  private let store: Store
  private let log: Log
  private let content: Locked<Content>

  /// - Parameter now: seconds since the epoch.
  public init(_ metrics: ServiceMetrics, store: Store, log: Log, now: UInt64 = WallClock.seconds()) {
    self.metrics = metrics
    self.store = store
    self.log = log
    content = Locked(
      Content(
        totals: HistorySample(totals: metrics), second: now,
        recent: [HistorySample?](repeating: nil, count: Int(Self.seconds))))
  }

  /// Takes down what was counted since the last time. To be called about once a second.
  ///
  /// - Parameter now: seconds since the epoch.
  public func tick(now: UInt64 = WallClock.seconds()) {
    let totals = HistorySample(totals: metrics)
    let finished: (minute: UInt64, sample: HistorySample)? = content.withLock { content in
      // The clock was set back, or it is the same second still: what was counted stays for later.
      guard now > content.second else {
        if now + 60 < content.second { content.second = now }
        return nil
      }
      let sample = totals.since(content.totals)
      let before = content.second
      content.totals = totals
      // Seconds that were missed have nothing; what was counted in them is the latest's.
      for second in (before + 1)...max(before + 1, min(now, before + Self.seconds)) {
        content.recent[Int(second % Self.seconds)] = nil
      }
      content.recent[Int(now % Self.seconds)] = sample.isEmpty ? nil : sample
      content.second = now
      var finished: (UInt64, HistorySample)?
      if now / 60 != before / 60 {
        if !content.minute.isEmpty { finished = (before / 60, content.minute) }
        content.minute = HistorySample()
      }
      content.minute.add(sample)
      return finished
    }
    if let finished { save(finished.sample, minute: finished.minute) }
  }

  /// Writes the minute that is not over, before the store closes.
  public func finish() {
    let (minute, sample) = content.withLock { ($0.second / 60, $0.minute) }
    if !sample.isEmpty { save(sample, minute: minute) }
  }

  private func save(_ sample: HistorySample, minute: UInt64) {
    let cutoff = minute > Self.minutes ? minute - Self.minutes : 0
    let log = self.log
    store.changeHistory(minute: minute, expiringBefore: cutoff) { earlier in
      // A process before this one may have written a part of the same minute.
      var sum = sample
      if let earlier, let part = HistorySample(earlier.span) { sum.add(part) }
      return sum.encode()
    } completion: { result in
      if case .failure(let error) = result {
        log.debug("a minute's numbers were not kept", ["error": "\(error)"])
      }
    }
  }

  /// The last hour in steps of `step` seconds, which must divide 3600.
  public func lastHour(step: UInt64) -> HistoryColumns {
    let step = max(1, min(step, Self.seconds))
    return content.withLock { content in
      // Ends with the step under way: what has just happened shows at once.
      let end = (content.second / step + 1) * step
      let start = end > Self.seconds ? end - Self.seconds : 0
      var samples = [HistorySample](repeating: HistorySample(), count: Int((end - start) / step))
      for second in start..<end {
        guard second <= content.second, second + Self.seconds > content.second,
          let sample = content.recent[Int(second % Self.seconds)]
        else { continue }
        samples[Int((second - start) / step)].add(sample)
      }
      return HistoryColumns(samples, step: step, start: start * 1000)
    }
  }

  /// The last `minutes` in steps of `step` seconds, a multiple of 60 that is long enough for
  /// `HistoryColumns.maximumCount`: with a shorter one, what does not fit is left out at the beginning. Reads the store.
  public func lastMinutes(
    _ minutes: UInt64, step: UInt64, _ reader: StoreReader
  ) throws(StoreError) -> HistoryColumns {
    let minutesPerStep = max(1, step / 60)
    let (minute, current) = content.withLock { ($0.second / 60, $0.minute) }
    let end = (minute / minutesPerStep + 1) * minutesPerStep
    let wanted = min(minutes, minutesPerStep * UInt64(HistoryColumns.maximumCount))
    let start = end > wanted ? end - wanted : 0
    var samples = [HistorySample](
      repeating: HistorySample(), count: Int((end - start) / minutesPerStep))
    try reader.forEachHistory(in: start..<end) { minute, bytes in
      guard let sample = HistorySample(bytes) else { return }
      samples[Int((minute - start) / minutesPerStep)].add(sample)
    }
    samples[Int((minute - start) / minutesPerStep)].add(current)
    return HistoryColumns(samples, step: minutesPerStep * 60, start: start * 60_000)
  }
}

// Numbers and times as a person reads them. Times are the browser's own zone.

const locale = "en-GB";
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(locale, { notation: "compact", maximumSignificantDigits: 3 });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "medium", hourCycle: "h23" });
const minute = new Intl.DateTimeFormat(locale, { timeStyle: "short", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
const dayOnly = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });

/** `1,204`. */
export const count = (number) => whole.format(number);

/** `1.2M`, for an axis. */
export const compact = (number) => short.format(number);

/** `12:03:11`, of milliseconds since the epoch. */
export const time = (ms) => clock.format(ms);

/** `12:03`. */
export const hourMinute = (ms) => minute.format(ms);

/** `30 Nov 2026`. */
export const date = (ms) => day.format(ms);

/** `30 Nov`. */
export const shortDate = (ms) => dayOnly.format(ms);

/** `30 Nov 2026, 12:03:11`; an import may come without times. */
export const moment = (ms) => (ms ? `${date(ms)}, ${time(ms)}` : "an unknown time");

/** `2 days`, `3 hours`, `40 seconds`: the largest unit that says enough. */
export function span(ms) {
  const seconds = Math.round(Math.abs(ms) / 1000);
  for (const [unit, length] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (seconds >= length * (unit === "day" ? 2 : 1)) return plural(Math.floor(seconds / length), unit);
  }
  return plural(seconds, "second");
}

/** `1 day`, `2 days`, `3 pushes`. */
export const plural = (number, noun, nouns = `${noun}s`) => `${count(number)} ${number === 1 ? noun : nouns}`;

/** `3 minutes ago`, `just now`. */
export function ago(ms, now = Date.now()) {
  if (!ms) return "unknown";
  return now - ms < 5000 ? "just now" : `${span(now - ms)} ago`;
}

/** Milliseconds with as many digits as they deserve: `0.42 ms`, `12 ms`, `1.3 s`. */
export function latency(ms) {
  if (!ms) return "0 ms";
  if (ms >= 999.5) return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
  if (ms >= 9.95) return `${Math.round(ms)} ms`;
  return `${ms.toFixed(ms < 0.995 ? 2 : 1)} ms`;
}

/** `3.4 GiB`. */
export function bytes(number) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (number >= 1024 && unit < units.length - 1) {
    number /= 1024;
    unit += 1;
  }
  return `${unit && number < 10 ? number.toFixed(1) : Math.round(number)} ${units[unit]}`;
}

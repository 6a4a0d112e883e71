// Axes: round values and round times.

const roundSteps = [1, 2, 5, 10];
const minute = 60_000;
const timeSteps = [1, 5, 10, 15, 30, 60, 180, 360, 720, 1440, 2880, 7200, 14_400].map((each) => each * minute);

/** Round values from 0 up to at least `maximum`, about three above 0, in steps of `least` or more. */
export function ticks(maximum, least = 0) {
  if (!(maximum > 0)) return [0, 1];
  const raw = maximum / 3;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(least, roundSteps.find((each) => each * power >= raw) * power);
  return Array.from({ length: Math.ceil(maximum / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** Times on the hour, day and so on between two moments, at most `most`, in the browser's zone. */
export function timeTicks(start, end, most) {
  const step = timeSteps.find((each) => (end - start) / each <= most) ?? timeSteps.at(-1);
  const offset = new Date(start).getTimezoneOffset() * minute;
  const times = [];
  for (let at = Math.ceil((start - offset) / step) * step + offset; at <= end; at += step) times.push(at);
  return times;
}

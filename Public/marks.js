// What stands in a chart: bars and lines, each series as one path.

import { s } from "./dom.js";

/** Series that are told apart by a pattern as well as by colour. */
const weaves = { failed: [5, "M-1 6 6-1M-1 1 1-1M4 6 6 4"], refused: [4, "M0 1h4"], gone: [4, "M1 1h1"] };

/** The patterns of a chart; `id` keeps those of several charts apart. */
export function patterns(id) {
  return s("defs", Object.entries(weaves).map(([key, [size, d]]) => s(
    "pattern", { id: `${id}-${key}`, width: size, height: size, patternUnits: "userSpaceOnUse" },
    s("path.weave", { d }))));
}

/** Stacked bars; `geometry` has `x` of an index, `y` of a value, and the `pitch` of a bar. */
export function bars(series, { x, y, pitch }, id) {
  const width = pitch - (pitch > 6 ? 2 : pitch > 3 ? 1 : 0.4);
  const floor = [];
  return s("g.marks", series.map(({ key, values }) => {
    const d = values.map((number, index) => {
      if (!number) return "";
      const bottom = y(floor[index] ?? 0);
      floor[index] = (floor[index] ?? 0) + number;
      // A single failure among thousands still shows.
      const height = Math.max(bottom - y(floor[index]), key === "failed" ? 2 : 0);
      return bar(x(index) + (pitch - width) / 2, bottom, width, height);
    }).join("");
    return [s(`path.series-${key}`, { d }), key in weaves && s("path", { d, fill: `url(#${id}-${key})` })];
  }));
}

/** A closed path that stands on `bottom`. */
export function bar(left, bottom, width, height) {
  const [x, y, w, h] = [left, bottom, width, height].map((each) => Number(each.toFixed(1)));
  return `M${x} ${y}h${w}v${-h}h${-w}z`;
}

/** Lines, open where a value is null. */
export function lines(series, { x, y, pitch }) {
  return s("g.marks", series.map(({ key, values }) => {
    const point = (index) => `${(x(index) + pitch / 2).toFixed(1)} ${y(values[index]).toFixed(1)}`;
    const isThere = (index) => values[index] != null;
    let line = "";
    // A lone value between gaps is a dot: a line of no length with round ends.
    let dots = "";
    for (let index = 0; index < values.length; index += 1) {
      if (!isThere(index)) continue;
      if (isThere(index - 1)) line += `L${point(index)}`;
      else if (isThere(index + 1)) line += `M${point(index)}`;
      else dots += `M${point(index)}h0`;
    }
    return [s(`path.series-${key}`, { d: line }), s(`path.series-${key}.dots`, { d: dots })];
  }));
}

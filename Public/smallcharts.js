// Charts that stand in a line of text or a table.

import { h, s } from "./dom.js";
import * as format from "./format.js";
import { bar } from "./marks.js";

const spark = { width: 132, height: 24 };

/** Small bars without axes: what a gateway accepted and what failed there. */
export function sparkline(accepted, failed, label) {
  const pitch = spark.width / Math.max(1, accepted.length);
  const peak = Math.max(1, ...accepted.map((number, index) => number + failed[index]));
  const scale = (spark.height - 2) / peak;
  const stack = (values, floor) => values.map((number, index) => {
    const bottom = spark.height - 1 - (floor?.[index] ?? 0) * scale;
    return number ? bar(index * pitch, bottom, Math.max(pitch - 0.4, 0.6), Math.max(1, number * scale)) : "";
  }).join("");
  return s(
    "svg.sparkline", { viewBox: `0 0 ${spark.width} ${spark.height}`, role: "img", "aria-label": label },
    s("path.base", { d: `M0 ${spark.height - 0.5}h${spark.width}` }),
    s("path.series-delivered", { d: stack(accepted) }), s("path.series-failed", { d: stack(failed, accepted) }));
}

/** Amounts side by side, as a table with bars in it: rows of `[name, number, series]`. */
export function barList(rows, caption) {
  const peak = Math.max(1, ...rows.map(([, number]) => number));
  const barOf = (number, series = "plain") => {
    const width = number ? Math.max(0.8, (number / peak) * 100) : 0;
    return strip(s(`rect.${series}`, { width, height: 6 }));
  };
  return h("table.bar-list", h("caption.hidden", caption), h("tbody", rows.map(([name, number, series]) => h(
    "tr", h("th", { scope: "row" }, name), h("td", barOf(number, series)),
    h("td.number", format.count(number))))));
}

/** How full something is, in percent, with a mark where the server begins to warn. */
export function meter(percent, label) {
  const limit = 80;
  const element = strip(
    s("rect.ground", { width: 100, height: 6 }),
    s(`rect.${percent >= limit ? "full" : "plain"}`, { width: Math.max(percent, 0.5), height: 6 }),
    s("rect.limit", { x: limit, width: 0.6, height: 6 }));
  element.classList.add("meter");
  element.removeAttribute("aria-hidden");
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", `${label}: ${percent} % full`);
  return element;
}

function strip(...marks) {
  return s("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" }, ...marks);
}

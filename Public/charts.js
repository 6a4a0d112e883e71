// Charts over time, drawn as SVG at the size of the screen. The legend is the readout: it shows totals, or the
// values under the pointer, or those that the arrow keys choose. A table holds the same for those who do not see.

import { h, s } from "./dom.js";
import * as format from "./format.js";
import { ticks, timeTicks } from "./scale.js";

const margin = { top: 10, right: 2, bottom: 24, left: 54 };
let chartCount = 0;

/**
 * Makes a chart.
 *
 * - `kind`: `bars`, stacked, or `lines`.
 * - `label`: its name for screen readers.
 * - `value`: how a value is written, such as `format.count`; `axis` the same, shorter.
 * - `summary`: of a series over the whole time, for the legend.
 * - `nothing`: what to say when there is no value at all.
 *
 * Gives its `element` and `update({ start, step, series })`: milliseconds, and series of
 * `{ key, name, values }`, in which null is a gap.
 */
export function timeChart({ kind, label, value, axis = value, summary, nothing }) {
  chartCount += 1;
  const id = `chart-${chartCount}`;
  const state = { start: 0, step: 1000, series: [], index: null };
  const svg = s("svg", { "aria-hidden": "true" });
  const legend = h("ul.legend");
  const when = h("p.when");
  const plot = h(
    "div.plot", { tabindex: 0, role: "slider", "aria-label": `${label}: read with the arrow keys`, "aria-valuemin": 0 },
    svg);
  const table = h("div.table-scroll", { tabindex: 0, role: "region", "aria-label": `${label}, as a table` });
  const details = h("details.as-table", { ontoggle: () => drawTable() }, h("summary", "As a table"), table);
  const element = h(`figure.chart.${kind}`, h("div.readout", legend, when), plot, details);

  const length = () => Math.max(0, ...state.series.map((each) => each.values.length));
  const timeAt = (index) => state.start + index * state.step;
  const word = (at) => (state.step < 86_400_000 && length() * state.step <= 86_400_000 * 1.1
    ? format.time(at) : `${format.shortDate(at)}, ${format.hourMinute(at)}`);

  function drawReadout() {
    const { index, series } = state;
    const shown = series.map((each) => {
      const number = index == null ? summary(each.values) : each.values[index];
      return h("li", h(`span.swatch.series-${each.key}`, { "aria-hidden": "true" }), h("span.name", each.name),
        h("span.number", number == null ? "–" : value(number)));
    });
    legend.replaceChildren(...shown);
    when.textContent = index == null
      ? (length() ? `${word(state.start)} to ${word(timeAt(length()))}` : "") : word(timeAt(index));
    plot.setAttribute("aria-valuemax", Math.max(0, length() - 1));
    plot.setAttribute("aria-valuenow", index ?? Math.max(0, length() - 1));
    plot.setAttribute("aria-valuetext", length() ? [when.textContent, ...series.map((each) => {
      const number = index == null ? summary(each.values) : each.values[index];
      return `${each.name} ${number == null ? "none" : value(number)}`;
    })].join("; ") : "nothing yet");
  }

  function draw() {
    drawReadout();
    drawTable();
    const width = Math.floor(plot.clientWidth);
    const height = Math.floor(plot.clientHeight);
    if (!width || !height) return;
    const area = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
    const peak = kind === "bars" ? Math.max(0, ...totals()) : Math.max(0, ...state.series.flatMap((each) => each.values));
    const levels = ticks(peak);
    const y = (number) => margin.top + area.height * (1 - number / levels.at(-1));
    const pitch = area.width / Math.max(1, length());
    const x = (index) => margin.left + index * pitch;
    const end = timeAt(length());
    const times = length() ? timeTicks(state.start, end, Math.max(2, Math.floor(area.width / 90))) : [];
    const timeX = (at) => margin.left + ((at - state.start) / (end - state.start)) * area.width;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren(
      patterns(),
      s("g.grid", levels.map((level) => s("line", { x1: margin.left, x2: width - margin.right, y1: y(level), y2: y(level) }))),
      s("g.axis", levels.map((level) => s("text", { x: margin.left - 8, y: y(level) + 4, "text-anchor": "end" }, axis(level)))),
      s("g.axis", times.map((at) => s(
        "text", { x: Math.min(Math.max(timeX(at), margin.left + 16), width - 18), y: height - 6, "text-anchor": "middle" },
        end - state.start > 86_400_000 * 1.1 ? format.shortDate(at) : format.hourMinute(at)))),
      kind === "bars" ? bars(x, y, pitch) : lines(x, y, pitch),
      peak > 0 ? s("g") : s("text.nothing", { x: margin.left + area.width / 2, y: margin.top + area.height / 2, "text-anchor": "middle" }, nothing),
      state.index == null ? s("g") : s("line.cursor", {
        x1: x(state.index) + pitch / 2, x2: x(state.index) + pitch / 2, y1: margin.top, y2: height - margin.bottom }));
  }

  function totals() {
    return Array.from({ length: length() }, (_, index) =>
      state.series.reduce((sum, each) => sum + (each.values[index] ?? 0), 0));
  }

  function bars(x, y, pitch) {
    const gap = pitch > 6 ? 2 : pitch > 3 ? 1 : 0.4;
    const floor = new Array(length()).fill(0);
    return s("g.marks", state.series.map(({ key, values }) => {
      const path = values.map((number, index) => {
        if (!number) return "";
        const bottom = y(floor[index]);
        floor[index] += number;
        // A single failure among thousands still shows.
        const height = Math.max(bottom - y(floor[index]), key === "failed" ? 2 : 0);
        return `M${(x(index) + gap / 2).toFixed(1)} ${bottom.toFixed(1)}h${(pitch - gap).toFixed(1)}v${(-height).toFixed(1)}h${(gap - pitch).toFixed(1)}z`;
      }).join("");
      const pattern = ["failed", "refused", "gone"].includes(key);
      return [s(`path.series-${key}`, { d: path }), pattern && s("path.over", { d: path, fill: `url(#${id}-${key})` })];
    }));
  }

  function lines(x, y, pitch) {
    return s("g.marks", state.series.map(({ key, values }) => {
      let isOpen = false;
      const path = values.map((number, index) => {
        if (number == null) {
          isOpen = false;
          return "";
        }
        const point = `${(x(index) + pitch / 2).toFixed(1)} ${y(number).toFixed(1)}`;
        // A lone value between gaps is a dot: a line of no length with round ends.
        const step = isOpen ? `L${point}` : `M${point}h0`;
        isOpen = true;
        return step;
      }).join("");
      return s(`path.series-${key}`, { d: path });
    }));
  }

  function patterns() {
    const pattern = (key, size, path) => s(
      "pattern", { id: `${id}-${key}`, width: size, height: size, patternUnits: "userSpaceOnUse" }, s("path.weave", { d: path }));
    return s("defs", pattern("failed", 5, "M-1 6 6-1M-1 1 1-1M4 6 6 4"), pattern("refused", 4, "M0 1h4"), pattern("gone", 4, "M1 1h1"));
  }

  function drawTable() {
    if (!details.open) return;
    const rows = Array.from({ length: length() }, (_, index) => index)
      .filter((index) => state.series.some((each) => each.values[index])).reverse();
    table.replaceChildren(h(
      "table", h("thead", h("tr", h("th", { scope: "col" }, "From"), state.series.map((each) => h("th.number", { scope: "col" }, each.name)))),
      h("tbody", rows.map((index) => h("tr", h("th", { scope: "row" }, word(timeAt(index))),
        state.series.map((each) => h("td.number", each.values[index] == null ? "–" : value(each.values[index]))))))));
  }

  function choose(index) {
    const last = length() - 1;
    state.index = index == null || last < 0 ? null : Math.min(Math.max(0, index), last);
    draw();
  }

  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
    choose(Math.floor(share * length()));
  });
  plot.addEventListener("pointerleave", () => choose(null));
  plot.addEventListener("blur", () => choose(null));
  plot.addEventListener("keydown", (event) => {
    const at = state.index ?? length();
    const target = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at + 10, PageDown: at - 10, Home: 0, End: length() - 1 }[event.key];
    if (event.key === "Escape") choose(null);
    if (target === undefined) return;
    event.preventDefault();
    choose(target);
  });
  new ResizeObserver(() => draw()).observe(plot);

  return {
    element,
    update(data) {
      Object.assign(state, data);
      if (state.index != null) state.index = Math.min(state.index, length() - 1);
      draw();
    },
  };
}

/** Small bars without axes: what a gateway accepted and what failed there, for a row of text. */
export function sparkline(accepted, failed, label) {
  const [width, height] = [132, 24];
  const count = Math.max(accepted.length, failed.length, 1);
  const peak = Math.max(1, ...accepted.map((number, index) => number + (failed[index] ?? 0)));
  const pitch = width / count;
  const bars = (values, base) => values.map((number, index) => {
    if (!number) return "";
    const bottom = height - 1 - (base?.[index] ?? 0) / peak * (height - 2);
    return `M${(index * pitch).toFixed(1)} ${bottom.toFixed(1)}h${Math.max(pitch - 0.4, 0.6).toFixed(1)}v${(-Math.max(1, number / peak * (height - 2))).toFixed(1)}h${(-Math.max(pitch - 0.4, 0.6)).toFixed(1)}z`;
  }).join("");
  return s(
    "svg.sparkline", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    s("path.base", { d: `M0 ${height - .5}H${width}` }),
    s("path.series-delivered", { d: bars(accepted) }), s("path.series-failed", { d: bars(failed, accepted) }));
}

/** Amounts side by side, as a table with bars in it: `[name, number]`. */
export function barList(rows, caption, value = format.count) {
  const peak = Math.max(1, ...rows.map((row) => row[1]));
  return h(
    "table.bar-list", h("caption.hidden", caption),
    h("tbody", rows.map(([name, number, className = ""]) => {
      const bar = s("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
        s(`rect.${className || "plain"}`, { width: Math.max(number ? 0.8 : 0, number / peak * 100), height: 6 }));
      return h("tr", h("th", { scope: "row" }, name), h("td", bar), h("td.number", value(number)));
    })));
}

/** How full something is, in percent, with the marks where warnings begin. */
export function meter(percent, label) {
  return s(
    "svg.meter", { viewBox: "0 0 100 6", preserveAspectRatio: "none", role: "img", "aria-label": `${label}: ${percent} % full` },
    s("rect.ground", { width: 100, height: 6 }),
    s(`rect.${percent >= 80 ? "full" : "plain"}`, { width: Math.max(percent, 0.5), height: 6 }), s("rect.limit", { x: 80, width: .6, height: 6 }));
}

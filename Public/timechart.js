// Charts over time, drawn as SVG at the size of the screen. The legend is the readout: it shows totals, or the
// values under the pointer, or those that the arrow keys choose. A table has the same for those who do not see.

import { h, s } from "./dom.js";
import * as format from "./format.js";
import { bars, lines, patterns } from "./marks.js";
import { ticks, timeTicks } from "./scale.js";

const margin = { top: 10, right: 2, bottom: 24, left: 54 };
/** Pixels that a time below the axis needs. */
const timeWidth = 90;
/** Up to here times of day say enough. */
const longestDay = 26 * 3_600_000;
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
  const name = `${label}: read with the arrow keys`;
  const plot = h("div.plot", { tabindex: 0, role: "slider", "aria-label": name }, svg);
  const table = h("div.table-scroll", { tabindex: 0, role: "region", "aria-label": `${label}, as a table` });
  const details = h("details.as-table", { ontoggle: () => drawTable() }, h("summary", "As a table"), table);

  const length = () => Math.max(0, ...state.series.map((each) => each.values.length));
  const timeAt = (index) => state.start + index * state.step;
  const isLong = () => length() * state.step > longestDay;
  const wordOf = (at) => (isLong() ? `${format.shortDate(at)}, ${format.hourMinute(at)}` : format.time(at));
  const shown = ({ values }) => {
    const number = state.index == null ? summary(values) : values[state.index];
    return number == null ? "–" : value(number);
  };

  function draw() {
    drawReadout();
    drawTable();
    drawPlot();
  }

  function drawReadout() {
    const last = Math.max(0, length() - 1);
    legend.replaceChildren(...state.series.map((each) => h(
      "li", h(`span.swatch.series-${each.key}`, { "aria-hidden": "true" }),
      h("span.name", each.name), h("span.number", shown(each)))));
    if (!length()) when.textContent = "";
    else if (state.index != null) when.textContent = wordOf(timeAt(state.index));
    else when.textContent = `${wordOf(state.start)} to ${wordOf(timeAt(length()))}`;
    const spoken = [when.textContent, ...state.series.map((each) => `${each.name} ${shown(each)}`)].join("; ");
    plot.setAttribute("aria-valuemin", 0);
    plot.setAttribute("aria-valuemax", last);
    plot.setAttribute("aria-valuenow", state.index ?? last);
    plot.setAttribute("aria-valuetext", spoken);
  }

  function drawPlot() {
    const width = Math.floor(plot.clientWidth);
    const height = Math.floor(plot.clientHeight);
    if (!width || !height) return;
    const area = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
    const peak = peakOf(kind, state.series, length());
    // Bars count whole pushes.
    const levels = ticks(peak, kind === "bars" ? 1 : 0);
    const pitch = area.width / Math.max(1, length());
    const geometry = {
      pitch, x: (index) => margin.left + index * pitch,
      y: (number) => margin.top + area.height * (1 - number / levels.at(-1)),
    };
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren(
      patterns(id), ...levelLines(levels, geometry.y, width), timeAxis(area, width, height),
      kind === "bars" ? bars(state.series, geometry, id) : lines(state.series, geometry));
    if (!(peak > 0)) {
      svg.append(s("text.nothing", { x: width / 2, y: height / 2, "text-anchor": "middle" }, nothing));
    }
    if (state.index == null) return;
    const at = geometry.x(state.index) + pitch / 2;
    svg.append(s("line.cursor", { x1: at, x2: at, y1: margin.top, y2: height - margin.bottom }));
  }

  function levelLines(levels, y, width) {
    const edge = { x1: margin.left, x2: width - margin.right };
    return [
      s("g.grid", levels.map((level) => s("line", { ...edge, y1: y(level), y2: y(level) }))),
      s("g.axis", levels.map((level) =>
        s("text", { x: margin.left - 8, y: y(level) + 4, "text-anchor": "end" }, axis(level)))),
    ];
  }

  function timeAxis(area, width, height) {
    const end = timeAt(length());
    const most = Math.max(2, Math.floor(area.width / timeWidth));
    const times = length() ? timeTicks(state.start, end, most) : [];
    return s("g.axis", times.map((at) => {
      const x = margin.left + ((at - state.start) / (end - state.start)) * area.width;
      // The outermost would be cut.
      const kept = Math.min(Math.max(x, margin.left + 16), width - 18);
      const word = isLong() ? format.shortDate(at) : format.hourMinute(at);
      return s("text", { x: kept, y: height - 6, "text-anchor": "middle" }, word);
    }));
  }

  function drawTable() {
    if (!details.open) return;
    const head = ["From", ...state.series.map((each) => each.name)];
    const indices = Array.from({ length: length() }, (_, index) => index)
      .filter((index) => state.series.some((each) => each.values[index]))
      .reverse();
    const cell = (number) => h("td.number", number == null ? "–" : value(number));
    table.replaceChildren(h(
      "table",
      h("thead", h("tr", head.map((name, index) => h(index ? "th.number" : "th", { scope: "col" }, name)))),
      h("tbody", indices.map((index) => h(
        "tr", h("th", { scope: "row" }, wordOf(timeAt(index))),
        state.series.map((each) => cell(each.values[index])))))));
  }

  function choose(index) {
    const last = length() - 1;
    state.index = index == null || last < 0 ? null : Math.min(Math.max(0, index), last);
    drawReadout();
    drawPlot();
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
    const targets = {
      ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at + 10, PageDown: at - 10, Home: 0, End: length() - 1,
      Escape: null,
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    choose(targets[event.key]);
  });
  new ResizeObserver(() => drawPlot()).observe(plot);

  return {
    element: h(`figure.chart.${kind}`, h("div.readout", legend, when), plot, details),
    update(data) {
      Object.assign(state, data);
      if (state.index != null) state.index = Math.min(state.index, length() - 1);
      draw();
    },
  };
}

/** The highest value; of stacked bars, the highest stack. */
function peakOf(kind, series, length) {
  if (kind === "lines") return Math.max(0, ...series.flatMap((each) => each.values));
  let peak = 0;
  for (let index = 0; index < length; index += 1) {
    peak = Math.max(peak, series.reduce((sum, each) => sum + (each.values[index] ?? 0), 0));
  }
  return peak;
}

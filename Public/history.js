// The charts of pushes and latencies, and the choice of how far they look back.

import * as api from "./api.js";
import { h } from "./dom.js";
import * as format from "./format.js";
import { timeChart } from "./timechart.js";
import { outcomeGroups } from "./words.js";

/** The last hour comes with the overview; the others are asked for. */
const ranges = {
  hour: { word: "Last hour" },
  day: { word: "Last day", query: { range: "day", step_s: 900 } },
  month: { word: "Last 30 days", query: { range: "month", step_s: 14_400 } },
};
const percentiles = { p99: "99 % within", p95: "95 % within", p50: "Half within" };
const nothing = "No push in this time";

/** The elements `range`, `pushes` and `latencies`, and `update` with the history of the last hour. */
export function historyCharts(signal) {
  const pushes = timeChart({
    kind: "bars", label: "Pushes by outcome", value: format.count, axis: format.compact, nothing,
    summary: (values) => values.reduce((sum, each) => sum + each, 0),
  });
  const latencies = timeChart({
    kind: "lines", label: "Time to answer the relay", value: format.latency, nothing,
    axis: (ms) => (ms ? format.latency(ms) : "0"),
    summary: (values) => values.findLast((each) => each != null),
  });
  const note = h("p.aside", { "aria-live": "polite" });
  let chosen = "hour";
  let lastHour = null;

  function draw(history) {
    const time = { start: history.start_at, step: history.step_s * 1000 };
    note.textContent = time.step === 60_000 ? "pushes a minute" : `pushes in every ${format.span(time.step)}`;
    pushes.update({ ...time, series: pushSeries(history) });
    latencies.update({
      ...time,
      series: Object.entries(percentiles).map(([key, name]) => ({ key, name, values: history.latency_ms[key] })),
    });
  }

  async function choose(key) {
    chosen = key;
    const { query } = ranges[key];
    if (!query) return lastHour && draw(lastHour);
    try {
      const history = await api.get("metrics/history", { query, signal });
      if (chosen === key) draw(history);
    } catch (error) {
      if (!signal.aborted) note.textContent = error.message;
    }
  }

  const options = Object.entries(ranges).map(([key, { word }]) => h(
    "label",
    h("input", { type: "radio", name: "range", value: key, checked: key === chosen, onchange: () => choose(key) }),
    h("span", word)));
  return {
    range: h("div.chart-head", h("fieldset.segments", h("legend.hidden", "Time shown"), options), note),
    pushes: pushes.element, latencies: latencies.element,
    update(history) {
      lastHour = history;
      if (chosen === "hour") draw(history);
    },
  };
}

/** The groups of outcomes that occurred; delivered ones always. */
function pushSeries({ pushes, count }) {
  const zeros = new Array(count).fill(0);
  return outcomeGroups.map(({ key, name, members }) => {
    const columns = members.map((member) => pushes[member]).filter(Boolean);
    return { key, name, values: zeros.map((_, index) => columns.reduce((sum, column) => sum + column[index], 0)) };
  }).filter((group, index) => index === 0 || group.values.some(Boolean));
}

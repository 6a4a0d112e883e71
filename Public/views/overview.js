// How the server is doing, at a glance: a verdict, then what it rests on.

import * as api from "../api.js";
import { barList, meter, sparkline, timeChart } from "../charts.js";
import { h, pair } from "../dom.js";
import * as format from "../format.js";
import { glyph } from "../glyphs.js";
import { empty, failure, prose, section, waiting } from "../parts.js";
import { verdict } from "../verdict.js";
import { gatewayNames, gatewayStates, levelSigns, outcome, outcomeGroups } from "../words.js";

const interval = 5000;
const ranges = {
  hour: { word: "Last hour" },
  day: { word: "Last day", range: "month", step_s: 900, columns: 96 },
  month: { word: "Last 30 days", range: "month", step_s: 14_400 },
};

export const title = "Overview";

/** Shows the overview and keeps it fresh until `signal` aborts. */
export async function show(main, { signal }) {
  main.replaceChildren(waiting());
  const parts = layout(signal);
  let isShown = false;

  async function refresh() {
    try {
      const overview = await api.get("overview", { signal });
      if (signal.aborted) return;
      if (!isShown) main.replaceChildren(parts.element);
      isShown = true;
      parts.update(overview);
    } catch (error) {
      if (signal.aborted) return;
      if (isShown) parts.stale(error);
      else main.replaceChildren(h("h1.hidden", title), failure(error, () => refresh()));
    }
  }

  await refresh();
  const timer = setInterval(() => {
    if (!document.hidden) refresh();
  }, interval);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function layout(signal) {
  const freshness = h("p.aside");
  const regions = {};
  const region = (name, selector, render) => {
    const element = h(selector);
    regions[name] = { element, render, last: null };
    return element;
  };
  const pushes = timeChart({
    kind: "bars", label: "Pushes a minute by outcome", value: format.count, axis: format.compact, nothing: "No push in this time",
    summary: (values) => values.reduce((sum, each) => sum + each, 0),
  });
  const latencies = timeChart({
    kind: "lines", label: "Time to answer the relay", value: format.latency, axis: (ms) => (ms ? format.latency(ms) : "0"),
    nothing: "No push in this time", summary: (values) => values.findLast((each) => each != null),
  });
  const range = rangeChoice((history) => drawHistory(history), signal);

  function drawHistory(history) {
    const start = history.start_at;
    const step = history.step_s * 1000;
    const perMinute = 60 / history.step_s;
    pushes.update({
      start, step,
      series: outcomeGroups
        .map((group) => ({ ...group, values: sum(group.members.map((name) => history.pushes[name]), history.count, 1) }))
        .filter((group, index) => index === 0 || group.values.some(Boolean)),
    });
    range.note.textContent = perMinute === 1 ? "a bar a minute" : `a bar every ${format.span(step)}`;
    latencies.update({
      start, step,
      series: ["p99", "p95", "p50"].map((key) => ({
        key, name: { p50: "Half within", p95: "95 % within", p99: "99 % within" }[key], values: history.latency_ms[key] })),
    });
  }

  const element = h(
    "div.overview",
    region("verdict", "div.verdict", drawVerdict),
    region("figures", "dl.figures", drawFigures),
    section("Gateways", null, region("gateways", "div", drawGateways)),
    section("Pushes", null, h("div.chart-head", range.element, range.note), pushes.element),
    section("Latency", "from the relay's request to our answer", latencies.element),
    h("div.columns",
      section("Registrations", null, region("registrations", "div", drawRegistrations)),
      section("Refused registrations", "since the start, by reason", region("refused", "div", drawRefused)),
      section("Pushes by outcome", "last hour", region("outcomes", "div", drawOutcomes))),
    h("div.columns",
      section("Keys and certificates", null, region("credentials", "div", drawCredentials)),
      section("Store", null, region("store", "div", drawStore)),
      section("Server", null, region("server", "div", drawServer))),
    freshness);

  return {
    element,
    update(overview) {
      freshness.textContent = `As of ${format.time(Date.now())}, asked again every ${interval / 1000} seconds.`;
      freshness.classList.remove("stale");
      for (const each of Object.values(regions)) {
        const content = each.render(overview);
        const seen = content.map((node) => node.outerHTML ?? node).join("");
        if (seen === each.last) continue;
        each.last = seen;
        each.element.replaceChildren(...content);
      }
      range.noteHour(overview.history);
    },
    stale(error) {
      freshness.textContent = `No longer fresh: ${error.message}`;
      freshness.classList.add("stale");
    },
  };
}

function rangeChoice(draw, signal) {
  let chosen = "hour";
  const note = h("p.aside", { "aria-live": "polite" });
  const choose = async (key) => {
    chosen = key;
    const { range, step_s, columns } = ranges[key];
    if (!range) return;
    try {
      const history = await api.get("metrics/history", { query: { range, step_s }, signal });
      if (chosen === key) draw(columns ? lastColumns(history, columns) : history);
    } catch (error) {
      if (!signal.aborted) note.textContent = error.message;
    }
  };
  let hour = null;
  const element = h("fieldset.segments", h("legend.hidden", "Time shown"), Object.entries(ranges).map(([key, { word }]) =>
    h("label", h("input", {
      type: "radio", name: "range", value: key, checked: key === "hour",
      onchange: () => { choose(key); if (key === "hour" && hour) draw(hour); },
    }), h("span", word))));
  return {
    element, note,
    noteHour(history) {
      hour = history;
      if (chosen === "hour") draw(history);
    },
  };
}

function lastColumns(history, wanted) {
  const skip = Math.max(0, history.count - wanted);
  const cut = (columns) => Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, values.slice(skip)]));
  return {
    ...history, start_at: history.start_at + skip * history.step_s * 1000, count: history.count - skip,
    pushes: cut(history.pushes), latency_ms: cut(history.latency_ms),
  };
}

function sum(columns, length) {
  const present = columns.filter(Boolean);
  return Array.from({ length }, (_, index) => present.reduce((total, column) => total + column[index], 0));
}

const totalOf = (counts) => Object.values(counts).reduce((total, number) => total + number, 0);

function drawVerdict(overview) {
  const { sign, title: headline, lead, concerns } = verdict(overview);
  const detail = ({ reason, advice, link }) => [
    reason && h("p", reason), advice && h("p.advice", advice), link && h("p", h("a", { href: link.href }, link.word))];
  return [
    glyph(sign),
    h("div", h("h1", { tabindex: -1 }, headline), lead && h("p.lead", lead),
      concerns.length === 1 ? detail(concerns[0]) : null,
      concerns.length > 1 ? h("ul.concerns", concerns.map((each) =>
        h("li", glyph(each.sign), h("div", h("p", h("strong", each.title)), detail(each))))) : null),
  ];
}

function drawFigures({ pushes, registrations, server }) {
  const hour = totalOf(pushes.last_hour);
  const good = (pushes.last_hour.accepted ?? 0) + (pushes.last_hour.duplicate ?? 0);
  const percent = hour ? Math.floor((good / hour) * 1000) / 10 : null;
  return [
    pair("Pushes, last hour", format.count(hour)),
    pair("Delivered", percent == null ? "–" : `${percent} %`),
    pair("Half within", pushes.latency_ms ? format.latency(pushes.latency_ms.p50) : "–"),
    pair("99 % within", pushes.latency_ms ? format.latency(pushes.latency_ms.p99) : "–"),
    pair("Registrations", format.count(totalOf(registrations.active))),
    pair("Under way now", format.count(server.pushes_in_flight)),
  ];
}

function drawGateways({ gateways, history }) {
  if (!gateways.length) {
    return [empty("No gateway is configured.", "Add APNs or FCM credentials to the configuration; ", h("code", "pushbox check"), " says whether they work.")];
  }
  const silent = new Array(history.count).fill(0);
  return [h(
    "table.gateways",
    h("thead.hidden", h("tr", ["Gateway", "State", "Last hour", "Latency"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", gateways.map((gateway) => {
      const { accepted = silent, failed = silent } = history.gateways[gateway.name] ?? {};
      const failures = failed.reduce((total, each) => total + each, 0);
      const going = accepted.reduce((total, each) => total + each, 0);
      return h(`tr.state.${gateway.state}`,
        h("th", { scope: "row" }, glyph(gateway.state), h("div", gatewayNames[gateway.name] ?? gateway.name, h("span.endpoint", new URL(gateway.endpoint).hostname))),
        h("td", h("p.state-words", gatewayStates[gateway.state] ?? gateway.state,
          gateway.since_at && h("span.aside", { title: format.moment(gateway.since_at) }, ` since ${format.span(Date.now() - gateway.since_at)}`)),
          gateway.reason && h("p", gateway.reason), gateway.advice && h("p.advice", prose(gateway.advice))),
        h("td.spark", going + failures ? [sparkline(accepted, failed, `Last hour: ${format.count(going)} accepted, ${format.count(failures)} failed`),
          h("span.aside", `${format.count(going)} accepted`, failures ? `, ${format.count(failures)} failed` : "")]
          : h("span.aside", "no push in the last hour")),
        h("td.number", gateway.latency_ms
          ? [h("span", format.latency(gateway.latency_ms.p50)), h("span.aside", `99 % within ${format.latency(gateway.latency_ms.p99)}`)] : ""));
    })))];
}

function drawRegistrations({ registrations }) {
  const rows = Object.entries(registrations.active).map(([kind, number]) => [gatewayNames[kind] ?? kind, number]);
  const given = totalOf(registrations.tombstoned);
  if (!totalOf(registrations.active) && !given) {
    return [empty("None yet.", "Apps register at the push URL below.")];
  }
  return [
    barList([...rows, ["Given up", given, "gone"]], "Registrations by type"),
    h("p.aside", `Since the start: ${["created", "updated", "revived", "deleted"].filter((key) => registrations.changes[key])
      .map((key) => `${format.count(registrations.changes[key])} ${key}`).join(", ") || "no change"}.`),
  ];
}

function drawRefused({ registrations }) {
  if (!registrations.refused.length) return [empty("None.", "Every app that tried to register could.")];
  return [barList(registrations.refused.map(({ reason, count }) => [reason.replaceAll("_", " "), count, "refused"]), "Refused registrations by reason")];
}

function drawOutcomes({ pushes }) {
  const rows = Object.entries(pushes.last_hour).filter(([, number]) => number).sort((a, b) => b[1] - a[1]);
  if (!rows.length) return [empty("No push in the last hour.", "The relay calls when a wallet gets a request.")];
  const groupOf = (name) => outcomeGroups.find((group) => group.members.includes(name))?.key ?? "failed";
  return [barList(rows.map(([name, number]) => [outcome(name).word, number, groupOf(name)]), "Pushes of the last hour by outcome")];
}

function drawCredentials({ credentials }) {
  if (!credentials.length) return [empty("None.", "Gateways bring keys; TLS brings a certificate.")];
  return [h("ul.credentials", credentials.map((each) => h(
    "li", glyph(levelSigns[each.level]),
    h("div", h("p", h("strong", each.name)),
      h("p", each.days_left == null ? each.note ?? "Does not expire."
        : each.days_left < 0 ? `Expired on ${format.date(each.expires_at)}.`
          : [h("span.number", format.plural(each.days_left, "day")), ` left, until ${format.date(each.expires_at)}.`]),
      each.days_left != null && each.note && h("p", each.note), h("p.aside", h("code", each.key))))))];
}

function drawStore({ store }) {
  const space = (name, { used_bytes, size_bytes, percent }) => h(
    "div.space", h("p", h("span", name), h("span.number", `${format.bytes(used_bytes)} of ${format.bytes(size_bytes)}`)),
    meter(percent, name));
  return [
    space("Registrations", store.registrations), space("Deliveries", store.deliveries),
    store.level === "ok" ? h("p.aside", h("code", store.path))
      : h("p.advice", "Raise ", h("code", "store.map_size"), ", make room on the disk, then restart pushbox."),
  ];
}

function drawServer({ server, reload }) {
  return [h(
    "dl.facts", pair("Version", server.version), pair("Running for", format.span(server.uptime_s * 1000)),
    pair("Push URL", h("code", server.push_url)), pair("Workers", format.count(server.workers)),
    pair("Connections", format.count(server.connections_open)),
    pair("Configuration", `loaded ${format.moment(reload.loaded_at)}`,
      reload.problems.length ? ", last reload failed" : reload.differs_on_disk ? ", the file has changed since" : ""))];
}

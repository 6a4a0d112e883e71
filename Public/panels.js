// The parts of the overview: each makes its elements from what the server says.

import { h, pair } from "./dom.js";
import * as format from "./format.js";
import { glyph } from "./glyphs.js";
import { empty, prose } from "./parts.js";
import { barList, meter, sparkline } from "./smallcharts.js";
import { judge } from "./verdict.js";
import { gatewayName, gatewayStates, groupOf, levelSigns, outcome, refusals } from "./words.js";

const total = (counts) => Object.values(counts).reduce((sum, number) => sum + number, 0);
const none = "–";

/** The sentence on top, and what else there is to see to. */
export function verdict(overview) {
  const { others, ...first } = judge(overview);
  const detail = ({ lead, reason, advice, link }) => [
    lead && h("p.lead", lead), reason && h("p", reason), advice && h("p.advice", advice),
    link && h("p", h("a", { href: link.href }, link.word)),
  ];
  const list = others.map((each) =>
    h("li", glyph(each.sign), h("div", h("p", h("strong", each.title)), detail(each))));
  return [
    glyph(first.sign),
    h("div", h("h1", { tabindex: -1 }, first.title), detail(first), list.length ? h("ul.concerns", list) : null),
  ];
}

/** The pushes of the last hour by outcome. Those of a younger server are all that there were: its history goes by
 * whole steps, and would leave out the very last. */
function recent({ pushes: { total: all, last_hour }, server: { uptime_s } }) {
  return uptime_s < 3600 ? all : last_hour;
}

/** The numbers that one looks for first. */
export function figures(overview) {
  const { pushes, registrations, server } = overview;
  const counts = recent(overview);
  const hour = total(counts);
  const delivered = (counts.accepted ?? 0) + (counts.duplicate ?? 0);
  const latency = (key) => (pushes.latency_ms ? format.latency(pushes.latency_ms[key]) : none);
  return [
    pair("Pushes, last hour", format.count(hour)),
    // Never rounded up to 100 %.
    pair("Delivered", hour ? `${Math.floor((delivered / hour) * 1000) / 10} %` : none),
    pair("Half within", latency("p50")), pair("99 % within", latency("p99")),
    pair("Registrations", format.count(total(registrations.active))),
    pair("Under way now", format.count(server.pushes_in_flight)),
  ];
}

/** A row for each gateway: its state in words, what to do, its last hour. */
export function gateways({ gateways: all, history }) {
  if (!all.length) {
    return [empty(
      "No gateway is configured.", "Add APNs or FCM credentials to the configuration; ",
      h("code", "pushbox check"), " says whether they work.")];
  }
  const columns = ["Gateway", "State", "Last hour", "Latency"].map((name) => h("th", { scope: "col" }, name));
  return [h(
    "table.gateways", h("thead.hidden", h("tr", columns)),
    h("tbody", all.map((gateway) => gatewayRow(gateway, history))))];
}

function gatewayRow({ name, state, reason, advice, since_at, latency_ms, endpoint, attempts }, history) {
  const since = since_at && h(
    "span.aside", { title: format.moment(since_at) }, ` since ${format.span(Date.now() - since_at)}`);
  return h(
    "tr",
    h("th", { scope: "row" }, glyph(state),
      h("div", gatewayName(name), h("span.endpoint", new URL(endpoint).hostname))),
    h("td", h("p.state-words", gatewayStates[state] ?? state, since), reason && h("p", reason),
      advice && h("p.advice", prose(advice))),
    h("td.spark", lastHour(history.gateways[name], attempts)),
    h("td.number", latency_ms && [
      h("span", format.latency(latency_ms.p50)),
      h("span.aside", `99 % within ${format.latency(latency_ms.p99)}`),
    ]));
}

function lastHour(columns, attempts) {
  const accepted = total(columns?.accepted ?? []);
  const failed = total(columns?.failed ?? []);
  if (!accepted && !failed) {
    const words = attempts ? `${format.count(attempts)} sent since the start` : "no push since the start";
    return h("span.aside", words);
  }
  const words = `${format.count(accepted)} accepted${failed ? `, ${format.count(failed)} failed` : ""}`;
  return [sparkline(columns.accepted, columns.failed, `Last hour: ${words}`), h("span.aside", words)];
}

/** How many devices, by gateway, and what changed. */
export function registrations({ registrations: { active, tombstoned, changes } }) {
  const given = total(tombstoned);
  if (!total(active) && !given) return [empty("None yet.", "Apps register at the push URL below.")];
  const rows = Object.entries(active).map(([kind, number]) => [gatewayName(kind), number]);
  const words = ["created", "updated", "revived", "deleted"].filter((key) => changes[key])
    .map((key) => `${format.count(changes[key])} ${key}`);
  return [
    barList([...rows, ["Given up", given, "gone"]], "Registrations by gateway"),
    h("p.aside", `Since the start: ${words.join(", ") || "no change"}.`),
  ];
}

/** Why apps could not register. */
export function refused({ registrations: { refused: reasons } }) {
  if (!reasons.length) return [empty("None.", "Every app that tried to register could.")];
  const rows = reasons.map(({ reason, count }) => [refusals[reason] ?? reason, count, "refused"]);
  return [barList(rows, "Refused registrations by reason")];
}

/** Each outcome by itself; the chart groups them. */
export function outcomes(overview) {
  const rows = Object.entries(recent(overview)).filter(([, number]) => number).sort((a, b) => b[1] - a[1])
    .map(([name, number]) => [outcome(name).word, number, groupOf(name)]);
  if (!rows.length) return [empty("No push in the last hour.", "The relay calls when a wallet gets a request.")];
  return [barList(rows, "Pushes of the last hour by outcome")];
}

/** The first of many names, and how many more there are. */
function few(names, most = 4) {
  const more = names.length - most;
  return names.slice(0, most).join(", ") + (more > 0 ? ` and ${format.count(more)} more` : "");
}

/** What expires, and when. */
export function credentials({ credentials: all }) {
  if (!all.length) return [empty("None.", "Gateways bring keys; TLS brings a certificate.")];
  const expiry = ({ days_left, expires_at, note }) => {
    if (days_left == null) return note ?? "Does not expire.";
    if (days_left < 0) return `Expired on ${format.date(expires_at)}.`;
    return `${format.span(expires_at - Date.now())} left, until ${format.date(expires_at)}.`;
  };
  return [h("ul.credentials", all.map((each) => h(
    "li", glyph(levelSigns[each.level]),
    h("div", h("p", h("strong", each.name)), h("p.number", expiry(each)),
      each.days_left != null && each.note && h("p", each.note),
      each.names.length ? h("p", `For ${few(each.names)}${each.issuer ? `, issued by ${each.issuer}` : ""}.`) : null,
      h("p.aside", h("code", each.key))))))];
}

/** How full the store is. */
export function store({ store: { path, registrations: durable, deliveries, level } }) {
  const space = (name, { used_bytes, size_bytes, percent }) => h(
    "div.space",
    h("p", h("span", name), h("span.number", `${format.bytes(used_bytes)} of ${format.bytes(size_bytes)}`)),
    meter(percent, name));
  const advice = h(
    "p.advice", "Raise ", h("code", "store.map_size"), " or make room on the disk, then restart pushbox.");
  return [
    space("Registrations", durable), space("Deliveries", deliveries),
    level === "ok" ? h("p.aside", h("code", path)) : advice,
  ];
}

/** The process itself. */
export function server({ server: process, reload }) {
  let file = `loaded ${format.moment(reload.loaded_at)}`;
  if (reload.problems.length) file += "; the last reload failed";
  else if (reload.differs_on_disk) file += "; the file has changed since";
  return [h(
    "dl.facts",
    pair("Version", process.version), pair("Running for", format.span(process.uptime_s * 1000)),
    pair("Push URL", h("code", process.push_url)), pair("Workers", format.count(process.workers)),
    pair("Connections", format.count(process.connections_open)), pair("Configuration", file))];
}

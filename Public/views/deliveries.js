// Pushes as they end, newest first; each opens to its whole story.

import * as api from "../api.js";
import { isClientID, shortID } from "../clientid.js";
import { h, pair } from "../dom.js";
import * as format from "../format.js";
import { stateLabel } from "../glyphs.js";
import { choice, empty, failure, head } from "../parts.js";
import { current, link, note } from "../router.js";
import { waterfall } from "../track.js";
import { gatewayNames, outcome, outcomes } from "../words.js";

/** Rows that are kept on the page, and those that wait while it is paused. */
const most = 300;

export const title = "Deliveries";

/** Shows the live tail; the filter stands in the address. */
export function show(main, { query, signal }) {
  const filter = { outcome: query.get("outcome"), gateway: query.get("gateway"), client_id: query.get("client") };
  const rows = h("ol.tail", { "aria-label": "Pushes, newest first" });
  const nothing = h("div");
  const state = h("p.live", { role: "status" });
  const pause = h("button", { type: "button", "aria-pressed": "false", onclick: () => setPaused(!isPaused) }, "Pause");
  const seen = new Set();
  let waiting = [];
  let isPaused = false;
  let stream = null;

  main.replaceChildren(
    head(title, "Each push that the relay asked for, as it ends. No message is shown, and no device token."),
    filterBar(filter, (changed) => { Object.assign(filter, changed); start(); }, pause), state, nothing, rows);

  function add(deliveries) {
    const fresh = deliveries.filter(({ id }) => !seen.has(id) && seen.add(id));
    if (isPaused) {
      waiting = [...fresh, ...waiting].slice(0, most);
      pause.textContent = waiting.length ? `Resume (${format.count(waiting.length)} new)` : "Resume";
      return;
    }
    rows.prepend(...fresh.map(row));
    while (rows.childElementCount > most) rows.lastElementChild.remove();
    nothing.replaceChildren(...(rows.childElementCount ? [] : [nothingYet(filter)]));
  }

  function setPaused(paused) {
    isPaused = paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Resume" : "Pause";
    if (!paused) {
      const held = waiting;
      waiting = [];
      rows.prepend(...held.map(row));
    }
    say();
  }

  function say(trouble) {
    state.replaceChildren(trouble ? stateLabel("unreachable", trouble) : isPaused ? stateLabel("wait", "Paused") : stateLabel("ok", "Live"));
  }

  async function start() {
    stop();
    seen.clear();
    waiting = [];
    rows.replaceChildren();
    say();
    stream = new EventSource(api.address("deliveries/stream", filter));
    stream.addEventListener("open", () => say());
    stream.addEventListener("delivery", (event) => add([JSON.parse(event.data)]));
    stream.addEventListener("dropped", (event) => gap(JSON.parse(event.data).count));
    stream.addEventListener("signed_out", () => dispatchEvent(new Event("signed-out")));
    stream.addEventListener("error", () => say(stream.readyState === EventSource.CLOSED ? "The server refuses the stream" : "Reconnecting…"));
    await load();
  }

  async function load() {
    try {
      const { items } = await api.get("deliveries", { query: { ...filter, limit: 100 }, signal });
      if (signal.aborted) return;
      const known = items.filter(({ id }) => !seen.has(id) && seen.add(id));
      rows.append(...known.map(row));
      nothing.replaceChildren(...(rows.childElementCount ? [] : [nothingYet(filter)]));
    } catch (error) {
      if (!signal.aborted) nothing.replaceChildren(failure(error, load));
    }
  }

  function gap(count) {
    rows.prepend(h("li.gap", `${format.plural(count, "push")}${count === 1 ? "" : "es"} went by too fast to be shown.`));
  }

  function stop() {
    stream?.close();
    stream = null;
  }

  signal.addEventListener("abort", stop);
  start();
}

function filterBar(filter, apply, pause) {
  const apply2 = (changed) => {
    apply(changed);
    const { outcome: kind, gateway, client_id: client } = { ...filter, ...changed };
    note(link("deliveries", { outcome: kind, gateway, client }));
  };
  const words = Object.fromEntries(Object.entries(outcomes).map(([key, { word }]) => [key, word]));
  const client = h("input", {
    type: "search", name: "client", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 70,
    placeholder: "z6Mk…", value: filter.client_id ?? "",
    onchange: () => {
      const text = client.value.trim();
      client.setCustomValidity(!text || isClientID(text) ? "" : "Only the beginning of a client ID.");
      if (client.reportValidity()) apply2({ client_id: text });
    },
  });
  return h(
    "form.search.bar", { onsubmit: (event) => { event.preventDefault(); client.blur(); } },
    choice("Outcome", "outcome", { "": "All", problems: "Problems only", ...words }, filter.outcome, (event) => apply2({ outcome: event.target.value })),
    choice("Gateway", "gateway", { "": "Any", ...gatewayNames }, filter.gateway, (event) => apply2({ gateway: event.target.value })),
    h("label.field", h("span", "Client ID begins with"), client), pause);
}

function row(delivery) {
  const { sign, word } = outcome(delivery.outcome);
  const story = h("div.row-story", { hidden: true });
  const button = h(
    "button.row", {
      type: "button", "aria-expanded": "false",
      onclick: () => {
        const isOpen = story.hidden;
        if (isOpen) story.replaceChildren(...wholeStory(delivery));
        story.hidden = !isOpen;
        button.setAttribute("aria-expanded", String(isOpen));
      },
    },
    h("span.when", format.time(delivery.received_at)), stateLabel(sign, word),
    h("span.id", shortID(delivery.client_id)), h("span.where", gatewayNames[delivery.gateway] ?? ""),
    h("span.number", format.latency(delivery.duration_ms)));
  return h("li", button, story);
}

function wholeStory(delivery) {
  return [
    h("dl.facts.inline",
      pair("Client ID", h("a.id", { href: link("registrations", delivery.client_id) }, delivery.client_id)),
      delivery.detail && pair("Said", delivery.detail),
      pair("The relay got", String(delivery.status)), pair("Received", format.moment(delivery.received_at)),
      delivery.peer && pair("From", h("code", delivery.peer)), pair("Request ID", h("code", delivery.request_id)),
      delivery.token_hash && pair("Device token", h("code", delivery.token_hash), h("span.aside", " keyed hash")),
      delivery.retries ? pair("Sent again", format.plural(delivery.retries, "time")) : null),
    waterfall(delivery.steps, delivery.duration_ms),
    h("p", h("a", { href: link("why", delivery.client_id) }, "The story of this client")),
  ];
}

function nothingYet(filter) {
  return Object.values(filter).some(Boolean)
    ? empty("No push like that is remembered.", "New ones appear here by themselves.")
    : empty("No push yet.", "They appear here by themselves as the relay calls.");
}

// Pushes as they end, newest first.

import * as api from "../api.js";
import { bareID, isClientID } from "../clientid.js";
import { deliveryRow } from "../delivery.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { stateLabel } from "../glyphs.js";
import { button, choice, empty, failure, head } from "../parts.js";
import { link, note } from "../router.js";
import { gatewayNames, outcomes } from "../words.js";

/** Rows that are kept in the page, and those that wait while it is paused. */
const most = 300;

export const title = "Deliveries";

/** Shows the live tail; the filter stands in the address. */
export function show(main, { query, signal }) {
  const filter = { outcome: query.get("outcome"), gateway: query.get("gateway"), client_id: query.get("client") };
  const tail = liveTail(filter, signal);
  const apply = (change) => {
    Object.assign(filter, change);
    note(link("deliveries", { outcome: filter.outcome, gateway: filter.gateway, client: filter.client_id }));
    tail.start();
  };
  main.replaceChildren(
    head(title, "Each push that the relay asked for, as it ends. Messages and device tokens are not shown."),
    filterBar(filter, apply, tail.pause), tail.state, tail.nothing, columnHeads(), tail.rows);
  signal.addEventListener("abort", tail.stop);
  tail.start();
}

/** For the eye: each row is a button, whose parts are read one after the other. */
function columnHeads() {
  const words = ["Received", "Outcome", "Client", "Gateway", "Took"];
  return h(
    "div.tail-head", { "aria-hidden": "true" },
    words.map((word, index) => h(index === words.length - 1 ? "span.number" : "span", word)));
}

function filterBar(filter, apply, pause) {
  const words = Object.fromEntries(Object.entries(outcomes).map(([key, { word }]) => [key, word]));
  const client = h("input", {
    type: "search", name: "client", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 70,
    placeholder: "z6Mk…", value: filter.client_id ?? "",
    onchange: () => {
      const text = client.value.trim();
      client.setCustomValidity(!text || isClientID(text) ? "" : "Only the beginning of a client ID.");
      if (client.reportValidity()) apply({ client_id: bareID(text) });
    },
  });
  return h(
    "form.search", { onsubmit: (event) => { event.preventDefault(); client.blur(); } },
    choice("Outcome", "outcome", { "": "All", problems: "Problems only", ...words }, filter.outcome,
      (event) => apply({ outcome: event.target.value })),
    choice("Gateway", "gateway", { "": "Any", ...gatewayNames }, filter.gateway,
      (event) => apply({ gateway: event.target.value })),
    h("label.field", h("span", "Client ID begins with"), client), pause);
}

/** The list that fills itself: its elements, `start` for the filter as it is now, and `stop`. */
function liveTail(filter, signal) {
  const rows = h("ol.tail", { "aria-label": "Pushes, newest first" });
  const nothing = h("div");
  const state = h("p.live", { role: "status" });
  const pause = button("Pause", null, () => setPaused(!isPaused));
  const seen = new Set();
  let held = [];
  let isPaused = false;
  let stream = null;

  /** Both the list and the stream may bring the same push. */
  const fresh = (deliveries) => deliveries.filter(({ id }) => !seen.has(id) && seen.add(id));

  function add(delivery) {
    const [one] = fresh([delivery]);
    if (!one) return;
    if (isPaused) {
      held = [one, ...held].slice(0, most);
      pause.textContent = `Resume (${format.count(held.length)} new)`;
    } else {
      rows.prepend(deliveryRow(one));
      trim();
    }
  }

  function trim() {
    while (rows.childElementCount > most) rows.lastElementChild.remove();
    nothing.replaceChildren(...(rows.childElementCount ? [] : [nothingYet(filter)]));
  }

  function setPaused(paused) {
    isPaused = paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Resume" : "Pause";
    if (!paused) rows.prepend(...held.map(deliveryRow));
    held = [];
    trim();
    say();
  }

  function say(trouble) {
    if (trouble) state.replaceChildren(stateLabel("unreachable", trouble));
    else state.replaceChildren(isPaused ? stateLabel("wait", "Paused") : stateLabel("ok", "Live"));
  }

  async function load() {
    try {
      const { items } = await api.get("deliveries", { query: { ...filter, limit: 100 }, signal });
      if (signal.aborted) return;
      rows.append(...fresh(items).map(deliveryRow));
      trim();
    } catch (error) {
      if (!signal.aborted) nothing.replaceChildren(failure(error, load));
    }
  }

  function listen() {
    stream = new EventSource(api.address("deliveries/stream", filter));
    stream.addEventListener("open", () => say());
    stream.addEventListener("delivery", (event) => add(JSON.parse(event.data)));
    stream.addEventListener("dropped", (event) => {
      const count = format.plural(JSON.parse(event.data).count, "push", "pushes");
      rows.prepend(h("li.gap", `${count} went by too fast to be shown.`));
    });
    stream.addEventListener("signed_out", () => dispatchEvent(new Event("signed-out")));
    stream.addEventListener("error", () => {
      const isOver = stream.readyState === EventSource.CLOSED;
      say(isOver ? "The server ended the stream: load this page again" : "Connecting again…");
    });
  }

  pause.setAttribute("aria-pressed", "false");
  return {
    rows, nothing, state, pause,
    start() {
      this.stop();
      seen.clear();
      held = [];
      rows.replaceChildren();
      say();
      // First, so that no push falls between the two.
      listen();
      load();
    },
    stop() {
      stream?.close();
    },
  };
}

function nothingYet(filter) {
  const isFiltered = Object.values(filter).some(Boolean);
  return empty(
    isFiltered ? "No push like that is remembered." : "No push yet.", "New ones appear here by themselves.");
}

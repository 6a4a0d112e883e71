// Finding registrations: by the beginning of a client ID, by a whole device token, or page by page.

import * as api from "../api.js";
import { bareID, isClientID, shortID } from "../clientid.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { stateLabel } from "../glyphs.js";
import { choice, dataTable, empty, failure, head, waiting } from "../parts.js";
import { current, go, link } from "../router.js";
import { gatewayName, gatewayNames } from "../words.js";

const limit = 50;
/** Requests without a full page before the reader is asked whether to go on: a request looks at a bounded
 * number of rows. */
const patience = 40;
const states = { active: "Active", tombstoned: "Given up" };
const searchHint = "The beginning of a client ID, a whole device token, or a client's name in the log (#…). "
  + "A token is looked up and forgotten: it never gets into the address.";

export const title = "Registrations";

/** Shows the search; what is sought stands in the address, unless it may be a device token. */
export async function show(main, { query, signal }) {
  const results = { status: h("p.aside", { role: "status" }), list: h("div.results") };
  const form = searchForm(query, (text) => search({ query: text }, results, signal, { isHidden: true }));
  main.replaceChildren(
    head(title, "Every client that has registered a device, and those whose token was given up."),
    form, results.status, results.list);
  const filters = {
    query: query.get("id"), type: query.get("type"), state: query.get("state"),
    never_pushed: query.get("never") === "1" || null, cursor: query.get("after"),
  };
  await search(filters, results, signal);
}

/** `searchHidden` takes what must not get into the address. */
function searchForm(query, searchHidden) {
  const input = h("input", {
    type: "search", name: "q", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 4096,
    value: query.get("id") ?? "", "aria-describedby": "search-hint",
  });
  const hint = h("p.hint", { id: "search-hint" }, searchHint);
  const never = h("input", {
    type: "checkbox", name: "never", checked: query.get("never") === "1", onchange: () => submit(),
  });
  const form = h(
    "form.search", { role: "search", onsubmit: (event) => { event.preventDefault(); submit(); } },
    h("div.ask", h("label.field", h("span", "Client ID or device token"), input),
      h("button.primary", { type: "submit" }, "Search")),
    choice("Gateway", "type", { "": "Any", ...gatewayNames }, query.get("type"), () => submit()),
    choice("State", "state", { "": "Any", ...states }, query.get("state"), () => submit()),
    h("label.check", never, "Never pushed to"), hint);

  function hide(text) {
    input.value = "";
    hint.textContent = `Looked up what you gave, of ${format.plural(text.length, "character")}.`;
    // Without the filters: a token has one owner at most.
    searchHidden(text);
  }

  function submit() {
    const text = input.value.trim();
    if (text && !isClientID(text)) return hide(text);
    const { type, state } = form.elements;
    go(link("registrations", {
      id: bareID(text), type: type.value, state: state.value, never: never.checked ? "1" : "",
    }));
  }

  input.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").trim();
    if (!text || isClientID(text)) return;
    // So that a token never stands in the page.
    event.preventDefault();
    hide(text);
  });
  return form;
}

/** Fills `results.list`, and says in `results.status` what it is. */
async function search(filters, results, signal, { isHidden = false } = {}) {
  results.list.replaceChildren(waiting());
  results.status.textContent = "";
  const found = { items: [], cursor: filters.cursor, scanned: 0, byToken: false };
  try {
    for (let round = 0; round < patience; round += 1) {
      const body = { ...filters, cursor: found.cursor, limit: limit - found.items.length };
      const page = await api.send("POST", "registrations/search", body, { signal });
      found.items.push(...page.items);
      found.scanned += page.scanned;
      found.cursor = page.next_cursor;
      found.byToken = page.matched_by === "token";
      if (!found.cursor || found.items.length >= limit) break;
      results.status.textContent = `Looked at ${format.count(found.scanned)} registrations so far…`;
    }
    if (signal.aborted) return;
    const columns = ["Client ID", "Gateway", "State", "Registered", "Last push"];
    const { items } = found;
    results.status.textContent = items.length ? summary(found, isHidden) : "";
    results.list.replaceChildren(
      items.length ? dataTable(columns, items.map(row)) : nothing(found, filters, isHidden),
      // A page's address would need what must not be in it.
      ...(isHidden ? [] : paging(filters.cursor, found.cursor)));
  } catch (error) {
    if (signal.aborted) return;
    results.list.replaceChildren(failure(error, () => search(filters, results, signal, { isHidden })));
  }
}

function summary({ items, cursor, byToken }, isHidden) {
  if (byToken) return "The client that holds this device token:";
  const count = format.plural(items.length, "registration");
  if (!cursor) return `${count} on this page.`;
  return `${count} on this page, there are more${isHidden ? ": give more of the ID" : ""}.`;
}

function row({ client_id, type, state, updated_at, pushes }) {
  const since = (ms) => h("span", { title: format.moment(ms) }, format.ago(ms));
  const trouble = { failed: ", failed", dead_token: ", token dead" };
  return [
    h("a.id", { href: link("registrations", client_id), title: client_id }, shortID(client_id)),
    gatewayName(type), stateLabel(state === "active" ? "ok" : "suspect", states[state]), since(updated_at),
    pushes ? [since(pushes.last_at), trouble[pushes.last_outcome] ?? ""] : "never",
  ];
}

function nothing({ cursor, scanned }, filters, isHidden) {
  if (isHidden && cursor) {
    return empty(
      `No match among the first ${format.plural(scanned, "registration")}.`,
      "On the server, pushbox clients show '#…' looks at all of them.");
  }
  if (isHidden) {
    return empty(
      "No client holds this device token, and no client ID begins like that.",
      "Either the app never registered it here, or the client has registered a newer token.");
  }
  if (cursor) return empty("No match so far.", `Looked at ${format.plural(scanned, "registration")}.`);
  if (filters.query) {
    const why = h("a", { href: link("why", filters.query) }, "Ask why it gets no push");
    return empty("No client ID begins like that.", "Client IDs are case-sensitive. ", why, ".");
  }
  if (filters.type || filters.state || filters.never_pushed) {
    return empty("No registration is like that.", "Loosen the filters.");
  }
  return empty("No registration yet.", "Apps register by themselves once they have this server's push URL.");
}

/** Pages have addresses, so that the back button goes a page back. */
function paging(here, next) {
  const { segments, query } = current();
  const address = (after) => link(...segments, { ...Object.fromEntries(query), after });
  const links = [
    here && h("a.button", { href: address("") }, "First page"),
    next && h("a.button", { href: address(next) }, "Next page"),
  ].filter(Boolean);
  return links.length ? [h("nav.paging", { "aria-label": "Pages" }, links)] : [];
}

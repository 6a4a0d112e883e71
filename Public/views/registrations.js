// Finding registrations: by the beginning of a client ID, by a whole device token, or page by page.

import * as api from "../api.js";
import { isClientID, shortID } from "../clientid.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { stateLabel } from "../glyphs.js";
import { choice, dataTable, empty, failure, head, waiting } from "../parts.js";
import { current, go, link } from "../router.js";
import { gatewayNames } from "../words.js";

const limit = 50;
/** Pages without a match that are skipped before the reader is asked whether to go on. */
const patience = 40;

export const title = "Registrations";

/** Shows the search; what is sought stands in the address, unless it is a device token. */
export async function show(main, { query, signal }) {
  const form = searchForm(query, (token) => search({ query: token }, results, signal));
  const results = h("div.results", { "aria-live": "polite" });
  main.replaceChildren(
    head(title, "Every client that has registered a device, and those whose token was given up."), form, results);
  const after = query.get("after");
  await search(
    { query: query.get("id"), type: query.get("type"), state: query.get("state"), never_pushed: query.get("never") === "1" || null, cursor: after },
    results, signal);
}

function searchForm(query, searchToken) {
  const input = h("input", {
    type: "search", name: "q", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 4096,
    value: query.get("id") ?? "", "aria-describedby": "search-hint",
  });
  const hint = h("p.hint", { id: "search-hint" }, "The beginning of a client ID, or a whole device token. A token is looked up and forgotten: it never gets into the address.");
  const form = h(
    "form.search", { role: "search", onsubmit: (event) => { event.preventDefault(); submit(); } },
    h("div.ask", h("label.field", h("span", "Client ID or device token"), input), h("button.primary", { type: "submit" }, "Search")),
    choice("Gateway", "type", { "": "Any", ...gatewayNames }, query.get("type"), () => submit()),
    choice("State", "state", { "": "Any", active: "Active", tombstoned: "Given up" }, query.get("state"), () => submit()),
    h("label.check", h("input", { type: "checkbox", name: "never", checked: query.get("never") === "1", onchange: () => submit() }), "Never pushed to"),
    hint);

  function takeToken(text) {
    input.value = "";
    hint.textContent = `Looked up a device token of ${format.plural(text.length, "character")}.`;
    // The filters do not apply to a token: it has one owner at most.
    searchToken(text);
  }

  function submit() {
    const text = input.value.trim();
    if (text && !isClientID(text)) return takeToken(text);
    const fields = form.elements;
    const target = link("registrations", { id: text, type: fields.type.value, state: fields.state.value, never: fields.never.checked ? "1" : "" });
    if (target === location.hash) dispatchEvent(new HashChangeEvent("hashchange"));
    else go(target);
  }

  input.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").trim();
    if (!text || isClientID(text)) return;
    // So that the token never stands in the page.
    event.preventDefault();
    takeToken(text);
  });
  return form;
}

async function search(filters, results, signal) {
  results.replaceChildren(waiting());
  const items = [];
  let cursor = filters.cursor;
  let scanned = 0;
  try {
    for (let round = 0; round < patience; round += 1) {
      const page = await api.send("POST", "registrations/search", { ...filters, cursor, limit: limit - items.length }, { signal });
      items.push(...page.items);
      scanned += page.scanned;
      cursor = page.next_cursor;
      if (!cursor || items.length >= limit) break;
      results.replaceChildren(waiting(`Looked at ${format.count(scanned)} registrations so far…`));
    }
    if (!signal.aborted) results.replaceChildren(...list(items, cursor, scanned, filters));
  } catch (error) {
    if (!signal.aborted) results.replaceChildren(failure(error, () => search(filters, results, signal)));
  }
}

function list(items, cursor, scanned, filters) {
  const isToken = filters.query && !isClientID(filters.query);
  const { segments, query } = current();
  const address = (after) => link(...segments, { ...Object.fromEntries(query), after });
  const more = cursor && h("a.button", { href: address(cursor) }, items.length ? "Next page" : "Look further");
  const first = filters.cursor && h("a.button", { href: address("") }, "First page");
  const paging = (more || first) && h("nav.paging", { "aria-label": "Pages" }, first, more);
  if (!items.length) return [nothing(cursor, scanned, filters, isToken), paging].filter(Boolean);
  return [
    h("p.aside", isToken ? "The client that holds this device token:"
      : `${format.plural(items.length, "registration")} on this page${cursor ? ", there are more" : ""}.`),
    dataTable(["Client ID", "Gateway", "State", "Registered", "Last push"], items.map(row)),
    paging,
  ].filter(Boolean);
}

function row(item) {
  const { pushes } = item;
  const since = (ms) => h("span", { title: format.moment(ms) }, format.ago(ms));
  return [
    h("a.id", { href: link("registrations", item.client_id), title: item.client_id }, shortID(item.client_id)),
    gatewayNames[item.type] ?? item.type,
    item.state === "active" ? stateLabel("ok", "Active") : stateLabel("suspect", "Given up"),
    since(item.updated_at),
    pushes ? [since(pushes.last_at), { failed: ", failed", dead_token: ", token dead" }[pushes.last_outcome] ?? ""] : "never",
  ];
}

function nothing(cursor, scanned, filters, isToken) {
  if (isToken) return empty("No client holds this device token.", "Either the app never registered it here, or the client has registered a newer one.");
  if (cursor) return empty("No match so far.", `Looked at ${format.plural(scanned, "registration")}; there are more.`);
  if (filters.query) {
    return empty("No client ID begins like that.", "Client IDs are case-sensitive. ",
      h("a", { href: link("why", filters.query) }, "Ask why it gets no push"), ".");
  }
  if (filters.type || filters.state || filters.never_pushed) return empty("No registration is like that.", "Loosen the filters.");
  return empty("No registration yet.", "Apps register by themselves once they have the push URL of this server.");
}

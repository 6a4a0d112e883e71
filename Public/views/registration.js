// One registration: what is known of it, and what can be done with it.

import * as api from "../api.js";
import { shortID } from "../clientid.js";
import { h, pair } from "../dom.js";
import * as format from "../format.js";
import { stateLabel } from "../glyphs.js";
import { confirm, notify } from "../notices.js";
import { copyButton, dataTable, empty, failure, section, waiting, whileBusy } from "../parts.js";
import { go, link } from "../router.js";
import { testPush } from "../testpush.js";
import { gatewayNames, outcome } from "../words.js";

export const title = "Registration";

/** Shows the registration whose client ID the address has. */
export async function show(main, { segments: [, clientID], signal }) {
  main.replaceChildren(waiting());
  try {
    const [item, { items: calls }] = await Promise.all([
      api.get(api.registration(clientID), { signal }),
      api.get("deliveries", { query: { client_id: clientID, limit: 10 }, signal }),
    ]);
    if (!signal.aborted) draw(main, item, calls, signal);
  } catch (error) {
    if (signal.aborted) return;
    main.replaceChildren(back(), h("h1", { tabindex: -1 }, title), error.status === 404
      ? empty("This client is not registered.", "It may have been deleted, or never have registered here. ", h("a", { href: link("why", clientID) }, "Ask why it gets no push"), ".")
      : failure(error, () => show(main, { segments: [null, clientID], signal })));
  }
}

function back() {
  return h("p.crumb", h("a", { href: link("registrations") }, "Registrations"));
}

function draw(main, item, calls, signal) {
  const isActive = item.state === "active";
  const test = testPush(item.client_id, signal);
  const remove = h("button.danger", { type: "button", onclick: () => whileBusy(remove, () => deletion(item)) }, "Delete…");
  const revive = h("button", { type: "button", onclick: () => whileBusy(revive, () => revival(main, item, signal)) }, "Revive");
  main.replaceChildren(
    back(),
    h("header.head", h("div", h("h1.id", { tabindex: -1 }, item.client_id),
      h("p.lead", isActive ? stateLabel("ok", "Active") : stateLabel("suspect", `Given up: the gateway said ${item.tombstone?.reason ?? "that the token is dead"}`),
        ` · ${gatewayNames[item.type] ?? item.type}`)),
    h("div.actions", copyButton(item.client_id, "the client ID"), h("a.button", { href: link("why", item.client_id) }, "Why no push?"),
      isActive ? null : revive, remove)),
    h("div.columns.two", section("Registration", null, facts(item)), section("Test push", null, test)),
    section("Latest calls of the relay", null, callList(calls)));
}

function facts(item) {
  const when = (ms) => h("span", format.moment(ms), h("span.aside", ` ${format.ago(ms)}`));
  const { pushes } = item;
  return h(
    "dl.facts",
    pair("Gateway", gatewayNames[item.type] ?? item.type),
    pair("First registered", when(item.created_at)), pair("Last registered", when(item.updated_at)),
    item.tombstone && pair("Given up", when(item.tombstone.at)),
    pair("Last push", pushes ? when(pushes.last_at) : "none lately"),
    pushes && pair("Its outcome", { delivered: "Delivered", dead_token: "Device token dead", failed: "Failed" }[pushes.last_outcome] ?? pushes.last_outcome),
    pushes && pair("Pushes", `${format.count(pushes.delivered)} delivered, ${format.count(pushes.failed)} not`),
    pair("Device token", h("code", item.token_hash), h("span.aside", " beginning of a keyed hash; the token itself is never shown")),
    pair("Client ID proved", item.authenticated ? "yes, by a signed registration" : "no"),
    pair("Message form", item.always_raw ? "raw: the app decrypts it" : "as the relay sends it"));
}

function callList(calls) {
  if (!calls.length) return empty("None that this server remembers.", "Only the latest calls are kept, in memory.");
  return dataTable(["When", "Outcome", "Took"], calls.map((call) => {
    const { sign, word } = outcome(call.outcome);
    return [
      h("span", { title: format.moment(call.received_at) }, format.ago(call.received_at)),
      [stateLabel(sign, word), call.detail && h("span.aside", ` ${call.detail}`)], format.latency(call.duration_ms),
    ];
  }));
}

async function deletion(item) {
  const isSure = await confirm({
    title: "Delete this registration?", yes: "Delete",
    text: `${shortID(item.client_id)} gets no push any more until its app registers anew. You can undo this for some minutes.`,
  });
  if (!isSure) return;
  try {
    const { undo } = await api.send("DELETE", api.registration(item.client_id));
    go(link("registrations"));
    notify(`${shortID(item.client_id)} is deleted. Undo is possible until ${format.hourMinute(undo.expires_at)}.`, {
      action: "Undo", until: undo.expires_at, run: () => restoration(item.client_id, undo.id),
    });
  } catch (error) {
    notify(`Not deleted: ${error.message}`, { sign: "rejected" });
  }
}

async function restoration(clientID, undo) {
  try {
    await api.send("POST", api.registration(clientID, "restore"), { undo });
    notify(`${shortID(clientID)} is registered again, as it was.`);
    go(link("registrations", clientID));
  } catch (error) {
    notify(`Not undone: ${error.message}`, { sign: "rejected" });
  }
}

async function revival(main, item, signal) {
  try {
    const revived = await api.send("POST", api.registration(item.client_id, "revive"));
    notify("Pushes go to this device again. If its gateway still says that the token is dead, it is given up again.");
    await show(main, { segments: [null, revived.client_id], signal });
  } catch (error) {
    notify(`Not revived: ${error.message}`, { sign: "rejected" });
  }
}

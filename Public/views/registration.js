// One registration: what is known of it, and what can be done with it.

import * as api from "../api.js";
import { shortID } from "../clientid.js";
import { h, pair } from "../dom.js";
import * as format from "../format.js";
import { stateLabel } from "../glyphs.js";
import { confirm, notify } from "../notices.js";
import { busyButton, copyButton, dataTable, empty, failure, section, waiting } from "../parts.js";
import { go, link } from "../router.js";
import { testPush } from "../testpush.js";
import { gatewayName, outcome } from "../words.js";

const lastOutcomes = { delivered: "Delivered", dead_token: "Device token dead", failed: "Failed" };

export const title = "Registration";

/** Shows the registration whose client ID the address has. */
export async function show(main, { segments, signal }) {
  const clientID = segments[1];
  main.replaceChildren(waiting());
  try {
    const [item, { items: calls }] = await Promise.all([
      api.get(api.registration(clientID), { signal }),
      api.get("deliveries", { query: { client_id: clientID, limit: 10 }, signal }),
    ]);
    if (!signal.aborted) draw(main, item, calls, () => show(main, { segments, signal }), signal);
  } catch (error) {
    if (signal.aborted) return;
    const content = error.status === 404 ? unknown(clientID) : failure(error, () => show(main, { segments, signal }));
    main.replaceChildren(back(), h("h1", { tabindex: -1 }, title), content);
  }
}

function back() {
  return h("p.crumb", h("a", { href: link("registrations") }, "Registrations"));
}

function unknown(clientID) {
  return empty(
    "This client is not registered.", "It may have been deleted, or never have registered here. ",
    h("a", { href: link("why", clientID) }, "Ask why it gets no push"), ".");
}

function draw(main, item, calls, again, signal) {
  const { client_id, type, state, tombstone } = item;
  const label = state === "active" ? stateLabel("ok", "Active")
    : stateLabel("suspect", `Given up: the gateway said ${tombstone.reason}`);
  main.replaceChildren(
    back(),
    h("header.head",
      h("div", h("h1.id", { tabindex: -1 }, client_id), h("p.lead", label, ` · ${gatewayName(type)}`)),
      h("div.actions",
        copyButton(client_id, "ID"), h("a.button", { href: link("why", client_id) }, "Why no push?"),
        state === "active" ? null : busyButton("Revive", null, () => revival(client_id, again)),
        busyButton("Delete…", "danger", () => deletion(client_id)))),
    h("div.columns.two",
      section("Registration", null, facts(item)), section("Test push", null, testPush(client_id, signal))),
    section("Latest calls of the relay", null, callList(calls)));
}

function facts({ type, created_at, updated_at, tombstone, pushes, token_hash, authenticated, always_raw }) {
  const when = (ms) => h("span", format.moment(ms), ms ? h("span.aside", ` ${format.ago(ms)}`) : null);
  return h(
    "dl.facts",
    pair("Gateway", gatewayName(type)),
    pair("First registered", when(created_at)), pair("Last registered", when(updated_at)),
    tombstone && pair("Given up", when(tombstone.at)),
    pair("Last push", pushes ? when(pushes.last_at) : "none lately"),
    pushes && pair("Its outcome", lastOutcomes[pushes.last_outcome] ?? pushes.last_outcome),
    pushes && pair("Pushes", `${format.count(pushes.delivered)} delivered, ${format.count(pushes.failed)} not`),
    pair("Device token", h("code", token_hash),
      h("span.aside", " beginning of a keyed hash; the token itself is never shown")),
    pair("Client ID proved", authenticated ? "yes, by a signed registration" : "no"),
    pair("Message form", always_raw ? "raw: the app decrypts it" : "as the relay sends it"));
}

function callList(calls) {
  if (!calls.length) return empty("None that this server remembers.", "Only the latest calls are kept, in memory.");
  return dataTable(["When", "Outcome", "Took"], calls.map((call) => {
    const { sign, word } = outcome(call.outcome);
    return [
      h("span", { title: format.ago(call.received_at) }, format.moment(call.received_at)),
      [stateLabel(sign, word), call.detail && h("span.aside", ` ${call.detail}`)],
      format.latency(call.duration_ms),
    ];
  }));
}

async function deletion(clientID) {
  const isSure = await confirm({
    title: "Delete this registration?", yes: "Delete",
    text: `${shortID(clientID)} gets no push any more until its app registers anew. `
      + "You can undo this for ten minutes, unless pushbox restarts.",
  });
  if (!isSure) return;
  try {
    const { undo } = await api.send("DELETE", api.registration(clientID));
    go(link("registrations"));
    offerUndo(`Undo is possible until ${format.hourMinute(undo.expires_at)}.`, clientID, undo);
  } catch (error) {
    notify(`Not deleted: ${error.message}`, { sign: "rejected" });
  }
}

function offerUndo(words, clientID, undo, more = {}) {
  notify(`${shortID(clientID)} is deleted. ${words}`, {
    action: "Undo", until: undo.expires_at, run: () => restoration(clientID, undo), ...more,
  });
}

async function restoration(clientID, undo) {
  try {
    await api.send("POST", api.registration(clientID, "restore"), { undo: undo.id });
    notify(`${shortID(clientID)} is registered again, as it was.`);
    go(link("registrations", clientID));
  } catch (error) {
    // The keyboard stays where the password is asked for.
    if (error.status === 401) {
      return offerUndo("Not undone yet: sign in, then undo.", clientID, undo, { sign: "degraded", isQuiet: true });
    }
    const [first, ...rest] = error.message;
    notify(`Not undone. ${first.toUpperCase()}${rest.join("")}.`, { sign: "rejected", until: Date.now() + 60_000 });
  }
}

async function revival(clientID, again) {
  try {
    await api.send("POST", api.registration(clientID, "revive"));
    notify("Pushes go to this device again. If its gateway still calls the token dead, it is given up again.");
    await again();
  } catch (error) {
    notify(`Not revived: ${error.message}`, { sign: "rejected" });
  }
}

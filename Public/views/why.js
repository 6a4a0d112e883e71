// Why does this client get no push? The answer as a story, in the order in which a push would fail.

import * as api from "../api.js";
import { bareID, isClientID } from "../clientid.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { glyph } from "../glyphs.js";
import { empty, failure, head, prose, waiting } from "../parts.js";
import { go, link } from "../router.js";
import { station, track } from "../track.js";
import { gatewayName, gatewayStates, levelSigns, outcome } from "../words.js";

/** Calls that are told one by one. */
const mostCalls = 20;

export const title = "Why no push?";

/** Asks for a client ID, and tells the story of the one in the address. */
export async function show(main, { segments, signal }) {
  const clientID = segments[1];
  const answer = h("div.story", { "aria-live": "polite" });
  main.replaceChildren(
    head(title, "Type the client ID of the device that stays silent."), questionForm(clientID), answer);
  if (!clientID) {
    answer.replaceChildren(empty(
      "The app knows its client ID.", "It is in the wallet's log, begins with ", h("code", "z6Mk"),
      " and may carry ", h("code", "did:key:"), " before it."));
    return;
  }
  answer.replaceChildren(waiting());
  try {
    const why = await api.get(`why/${encodeURIComponent(clientID)}`, { signal });
    if (!signal.aborted) answer.replaceChildren(...story(why));
  } catch (error) {
    if (!signal.aborted) answer.replaceChildren(failure(error, () => show(main, { segments, signal })));
  }
}

function questionForm(clientID) {
  const input = h("input", {
    type: "search", name: "id", autocomplete: "off", autocapitalize: "none", spellcheck: "false", required: true,
    maxlength: 255, value: clientID ?? "", "aria-describedby": "why-message",
  });
  const message = h("p.form-message", { id: "why-message", role: "alert" });

  function ask(event) {
    event.preventDefault();
    const text = input.value.trim();
    // A device token must not get into the address.
    const isWrong = !isClientID(text);
    message.textContent = isWrong
      ? "That is no client ID. To look up a device token, use the search of the registrations." : "";
    if (!isWrong) go(link("why", bareID(text)));
  }

  return h(
    "form.search", { role: "search", onsubmit: ask },
    h("div.ask", h("label.field", h("span", "Client ID"), input), h("button.primary", { type: "submit" }, "Tell me")),
    message);
}

function story({ client_id, verdict, registration, gateway, calls, calls_since_at }) {
  const next = registration && h(
    "p", h("a", { href: link("registrations", client_id) }, "Go to the registration"), ", to send a test push.");
  return [
    h(`div.verdict.level-${verdict.level}`, glyph(levelSigns[verdict.level]),
      h("div", h("h2", verdict.text), verdict.advice && h("p.advice", prose(verdict.advice)), next)),
    track(
      isRegistered(registration), isTokenAlive(registration), doesGatewayWork(gateway, registration),
      doesRelayCall(calls, calls_since_at), ...calls.slice(0, mostCalls).map(callStation)),
  ];
}

function isRegistered(registration) {
  const name = "Is it registered?";
  if (!registration) {
    return station(
      { sign: "rejected", title: name },
      h("p", "No. The app has to register with this server's push URL before anything can reach it."));
  }
  const { type, created_at, updated_at } = registration;
  const since = `since ${format.moment(created_at)}; last registered ${format.ago(updated_at)}`;
  return station({ sign: "ok", title: name }, h("p", `Yes, for ${gatewayName(type)}, ${since}.`));
}

function isTokenAlive(registration) {
  const name = "Is its device token alive?";
  if (!registration) return station({ sign: "unused", title: name, isPending: true });
  const { tombstone } = registration;
  if (!tombstone) return station({ sign: "ok", title: name }, h("p", "As far as the gateway has told."));
  const said = `On ${format.moment(tombstone.at)} the gateway said ${tombstone.reason}`;
  return station({ sign: "rejected", title: name }, h("p", `No. ${said}, so nothing is sent to it.`));
}

function doesGatewayWork(gateway, registration) {
  const name = "Does its gateway work?";
  if (!registration) return station({ sign: "unused", title: name, isPending: true });
  if (!gateway) {
    return station({ sign: "rejected", title: name }, h("p", `${gatewayName(registration.type)} is not configured.`));
  }
  return station(
    { sign: gateway.state, title: name },
    h("p", `${gatewayName(gateway.name)} ${gatewayStates[gateway.state] ?? gateway.state}.`,
      gateway.reason && ` It said: ${gateway.reason}.`),
    gateway.advice && h("p.advice", prose(gateway.advice)));
}

function doesRelayCall(calls, since) {
  const name = "Does the relay call?";
  if (calls.length) {
    const known = `${format.plural(calls.length, "call")} that this server remembers`;
    const last = `the last ${format.ago(calls[0].received_at)}`;
    return station({ sign: "ok", title: name }, h("p", `Yes: ${known}, ${last}.`));
  }
  return station(
    { sign: "degraded", title: name },
    h("p", `Not since ${format.moment(since)}, when this server's memory begins. `,
      "If a wallet got a request since, the relay does not know that this client is here."));
}

function callStation({ outcome: name, received_at, gateway, detail, duration_ms, retries, status }) {
  const { sign, word } = outcome(name);
  const facts = [
    gateway && gatewayName(gateway), detail, `answered after ${format.latency(duration_ms)}`,
    retries ? `sent ${format.count(retries + 1)} times` : null, `the relay got ${status}`,
  ];
  return station(
    { sign, title: word, at: format.moment(received_at) }, h("p", `${facts.filter(Boolean).join("; ")}.`));
}

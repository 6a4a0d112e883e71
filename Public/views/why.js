// Why does this client get no push? The answer as a story, in the order in which a push would fail.

import * as api from "../api.js";
import { isClientID } from "../clientid.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { glyph } from "../glyphs.js";
import { empty, failure, head, prose, waiting } from "../parts.js";
import { go, link } from "../router.js";
import { station, track } from "../track.js";
import { gatewayNames, gatewayStates, levelSigns, outcome } from "../words.js";

export const title = "Why no push?";

/** Asks for a client ID, and tells the story of the one in the address. */
export async function show(main, { segments: [, clientID], signal }) {
  const answer = h("div.story", { "aria-live": "polite" });
  main.replaceChildren(head(title, "Type the client ID of the device that stays silent."), questionForm(clientID), answer);
  if (!clientID) {
    answer.replaceChildren(empty("The app knows its client ID.", "It is in the log of the wallet SDK, begins with z6Mk and may carry did:key: before it."));
    return;
  }
  answer.replaceChildren(waiting());
  try {
    const why = await api.get(`why/${encodeURIComponent(clientID)}`, { signal });
    if (!signal.aborted) answer.replaceChildren(...story(why));
  } catch (error) {
    if (!signal.aborted) answer.replaceChildren(failure(error, () => show(main, { segments: [null, clientID], signal })));
  }
}

function questionForm(clientID) {
  const input = h("input", {
    type: "search", name: "id", autocomplete: "off", autocapitalize: "none", spellcheck: "false", required: true,
    maxlength: 255, value: clientID ?? "", "aria-describedby": "why-message",
  });
  const message = h("p.form-message", { id: "why-message", role: "alert" });
  return h(
    "form.search", {
      role: "search",
      onsubmit: (event) => {
        event.preventDefault();
        const text = input.value.trim();
        // A device token must not get into the address.
        if (!isClientID(text)) {
          message.textContent = "That is no client ID. To look up a device token, use the search of the registrations.";
        } else {
          message.textContent = "";
          go(link("why", text));
        }
      },
    },
    h("div.ask", h("label.field", h("span", "Client ID"), input), h("button.primary", { type: "submit" }, "Tell me")), message);
}

function story({ client_id, verdict, registration, gateway, calls, calls_since_at }) {
  return [
    h(`div.verdict.level-${verdict.level}`, glyph(levelSigns[verdict.level]),
      h("div", h("h2", verdict.text), verdict.advice && h("p.advice", prose(verdict.advice)),
        registration && h("p", h("a", { href: link("registrations", client_id) }, "Go to the registration"), ", to send a test push."))),
    track(registered(registration), tokenState(registration), gatewayState(gateway, registration), called(calls, calls_since_at), ...answers(calls)),
  ];
}

function registered(registration) {
  if (!registration) return station({ sign: "rejected", title: "Is it registered?" }, h("p", "No. The app has to register with this server's push URL before anything can reach it."));
  return station({ sign: "ok", title: "Is it registered?" },
    h("p", `Yes, for ${gatewayNames[registration.type] ?? registration.type}, since ${format.moment(registration.created_at)}; last registered ${format.ago(registration.updated_at)}.`));
}

function tokenState(registration) {
  if (!registration) return station({ sign: "unused", title: "Is its device token alive?", isPending: true });
  const { tombstone } = registration;
  if (!tombstone) return station({ sign: "ok", title: "Is its device token alive?" }, h("p", "As far as the gateway has told."));
  return station({ sign: "rejected", title: "Is its device token alive?" },
    h("p", `No. On ${format.moment(tombstone.at)} the gateway said ${tombstone.reason}, so nothing is sent to it.`));
}

function gatewayState(gateway, registration) {
  const name = "Does its gateway work?";
  if (!gateway) {
    return registration ? station({ sign: "rejected", title: name }, h("p", `${gatewayNames[registration.type] ?? registration.type} is not configured here.`))
      : station({ sign: "unused", title: name, isPending: true });
  }
  return station({ sign: gateway.state, title: name },
    h("p", `${gatewayNames[gateway.name] ?? gateway.name} ${gatewayStates[gateway.state] ?? gateway.state}.`, gateway.reason && ` It said: ${gateway.reason}.`),
    gateway.advice && h("p.advice", prose(gateway.advice)));
}

function called(calls, since) {
  const name = "Does the relay call?";
  if (calls.length) return station({ sign: "ok", title: name }, h("p", `Yes: ${format.plural(calls.length, "call")} that this server remembers, the last ${format.ago(calls[0].received_at)}.`));
  return station({ sign: "degraded", title: name }, h("p", `Not since ${format.moment(since)}, when this server's memory begins. If a wallet got a request since, the relay does not know that this client is here.`));
}

function answers(calls) {
  return calls.slice(0, 20).map((call) => {
    const { sign, word } = outcome(call.outcome);
    return station({ sign, title: word, at: format.moment(call.received_at) },
      h("p", [call.gateway && `${gatewayNames[call.gateway] ?? call.gateway}`, call.detail, `answered after ${format.latency(call.duration_ms)}`,
        call.retries ? `sent ${format.count(call.retries + 1)} times` : null, `the relay got ${call.status}`].filter(Boolean).join("; "), "."));
  });
}

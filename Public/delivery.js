// One push in the list of deliveries: a line, and the story that it opens to.

import { shortID } from "./clientid.js";
import { h, pair } from "./dom.js";
import * as format from "./format.js";
import { stateLabel } from "./glyphs.js";
import { link } from "./router.js";
import { waterfall } from "./track.js";
import { gatewayName, outcome } from "./words.js";

/** The list item of a push. */
export function deliveryRow(delivery) {
  const { sign, word } = outcome(delivery.outcome);
  const story = h("div.row-story", { hidden: true });
  const line = h(
    "button.row", { type: "button", "aria-expanded": "false", onclick: toggle },
    h("span.when", format.time(delivery.received_at)), stateLabel(sign, word),
    h("span.id", shortID(delivery.client_id)), h("span.where", delivery.gateway ? gatewayName(delivery.gateway) : ""),
    h("span.number", format.latency(delivery.duration_ms)));

  function toggle() {
    const opens = story.hidden;
    if (opens) story.replaceChildren(...wholeStory(delivery));
    story.hidden = !opens;
    line.setAttribute("aria-expanded", String(opens));
  }

  return h("li", line, story);
}

function wholeStory({ client_id, detail, status, received_at, peer, request_id, token_hash, retries, ...rest }) {
  return [
    h("dl.facts.inline",
      pair("Client ID", h("a.id", { href: link("registrations", client_id) }, client_id)),
      rest.gateway && pair("Gateway", gatewayName(rest.gateway)),
      detail && pair("Said", detail),
      pair("The relay got", String(status)), pair("Received", format.moment(received_at)),
      peer && pair("From", h("code", peer)), pair("Request ID", h("code", request_id)),
      token_hash && pair("Device token", h("code", token_hash), h("span.aside", " keyed hash")),
      retries ? pair("Sent again", format.plural(retries, "time")) : null),
    waterfall(rest.steps, rest.duration_ms),
    h("p", h("a", { href: link("why", client_id) }, "The story of this client")),
  ];
}

// The way of a push as a line with stations: what happened at each, and when.

import { h } from "./dom.js";
import * as format from "./format.js";
import { glyph } from "./glyphs.js";
import { outcomes } from "./words.js";

/** A line of stations from top to bottom. */
export function track(...stations) {
  return h("ol.track", ...stations);
}

/**
 * One station.
 *
 * - `sign`: a glyph's name; `wait` for one that is not reached yet.
 * - `title`, `content`: what it is and what happened there.
 * - `at`: when, as text.
 */
export function station({ sign, title, at, isPending = false }, ...content) {
  return h(
    `li${isPending ? ".pending" : ""}`, glyph(sign),
    h("div", h("p.station-title", h("strong", title), at && h("span.at", at)), ...content));
}

const stepWords = {
  received: "The relay called",
  verified: "Signature checked",
  looked_up: "Registration looked up",
  sent: "Sent to the gateway",
  retried: "Sent again",
};

/** What the server says of a step may begin with an outcome's short word. */
const inWords = (text) => text.replace(/^[a-z_]+(?=$|:)/, (name) => outcomes[name]?.word ?? name);

/** The last step: without a gateway there is only our own answer. */
const lastWord = (steps) =>
  (steps.some(({ name }) => name === "sent") ? "Gateway's answer, passed to the relay" : "We answered the relay");

/**
 * The steps of a push against time: each row has a bar from the step before to its own moment.
 * `steps` are `{ name, at_ms, text }`.
 */
export function waterfall(steps, duration) {
  const whole = Math.max(duration, ...steps.map((step) => step.at_ms), 0.001);
  const rows = steps.map(({ name, at_ms, text }, index) => {
    const before = index ? steps[index - 1].at_ms : 0;
    const bar = h("span.span");
    bar.style.setProperty("--from", before / whole);
    bar.style.setProperty("--to", at_ms / whole);
    return h(
      "tr", h("th", { scope: "row" }, stepWords[name] ?? (name === "answered" ? lastWord(steps) : name), text && h("span.step-text", inWords(text))),
      h("td.lane", { "aria-hidden": "true" }, bar), h("td.number", format.latency(at_ms)),
      h("td.number.delta", index ? `+${format.latency(at_ms - before)}` : ""));
  });
  const columns = ["Step", "When", "At", "After the step before"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "table.waterfall", h("caption.hidden", "The steps of this push"), h("thead.hidden", h("tr", columns)),
    h("tbody", rows));
}

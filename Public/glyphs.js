// The signs of states: each has a shape and a word of its own, so that no meaning hangs on colour.

import { h, s } from "./dom.js";

const shapes = {
  ok: ["M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z", "M5 8.2 7.2 10.4 11 6"],
  unused: [null, "M8 2.8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 8 2.8Z"],
  degraded: ["M8 1.8 15 14H1Z", "M8 6v4M8 11.5v1"],
  rejected: ["M2 2h12v12H2Z", "M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2"],
  suspect: ["M8 .8 15.2 8 8 15.2.8 8Z", "M6.2 6.3c.2-2 3.6-2 3.6.1C9.8 7.9 8 7.8 8 9.3M8 10.9v1"],
  unreachable: [null, "M3.2 10.4a5.2 5.2 0 0 1 7.2-7.2M12.8 5.6a5.2 5.2 0 0 1-7.2 7.2M2.5 13.5l11-11"],
  wait: [null, "M8 2.8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 8 2.8ZM8 5v3.2l2 1.4"],
};

/** The sign of a state, to stand beside its word: `ok`, `unused`, `degraded`, `rejected`, `suspect`,
 * `unreachable` or `wait`. */
export function glyph(state) {
  const [body, line] = shapes[state] ?? shapes.unused;
  return s(
    `svg.glyph.${state}`, { viewBox: "0 0 16 16", "aria-hidden": "true" },
    body && s("path.body", { d: body }), line && s(body ? "path.cut" : "path.line", { d: line }));
}

/** A state's sign and word in one line. */
export function stateLabel(state, word) {
  return h(`span.state.${state}`, glyph(state), h("span", word));
}

/** The mark of pushbox. */
export function mark() {
  return s(
    "svg.mark", { viewBox: "0 0 32 32", "aria-hidden": "true" },
    s("path.box", { d: "M17 7H6v18h11" }), s("path.way", { d: "M12 16h14m-5.5-5.5L26 16l-5.5 5.5" }));
}

// A test push, with each step as it happens.

import { events } from "./api.js";
import { h } from "./dom.js";
import * as format from "./format.js";
import { glyph } from "./glyphs.js";
import { failure, prose, whileBusy } from "./parts.js";
import { station, track } from "./track.js";

const stepNames = { registration: "Registration", gateway: "Gateway", sent: "Sent", answer: "Answer" };

/** A button that sends a test push to a client, and the way that the push takes. */
export function testPush(clientID, signal) {
  const way = h("div", { "aria-live": "polite" });
  const result = h("div.test-result", { role: "status" });
  const button = h("button.primary", { type: "button", onclick: () => whileBusy(button, send) }, "Send a test push");

  function draw(steps, isOver) {
    const names = Object.keys(stepNames);
    const reached = steps.map((step) => station(
      { sign: step.ok ? "ok" : "rejected", title: stepNames[step.name] ?? step.name, at: format.latency(step.at_ms) },
      step.text && h("p", step.text)));
    const ahead = names.filter((name) => !steps.some((step) => step.name === name)).map((name, index) =>
      station({ sign: !isOver && index === 0 ? "wait" : "unused", title: stepNames[name], isPending: true }));
    way.replaceChildren(track(...reached, ...ahead));
  }

  async function send() {
    const steps = [];
    let isOver = false;
    result.replaceChildren();
    draw(steps, false);
    try {
      for await (const { event, data } of events("POST", `registrations/${encodeURIComponent(clientID)}/test-push`, { signal })) {
        if (event === "step") steps.push(data);
        isOver = event === "result";
        draw(steps, isOver);
        if (isOver) show(data);
      }
      if (!isOver) throw new Error("The answer broke off before the result.");
    } catch (error) {
      if (signal.aborted) return;
      draw(steps, true);
      result.replaceChildren(failure(error));
    }
  }

  function show({ ok, text, advice, duration_ms }) {
    result.replaceChildren(
      h(`p.state.${ok ? "ok" : "rejected"}`, glyph(ok ? "ok" : "rejected"), h("strong", text), h("span.aside", format.latency(duration_ms))),
      advice ? h("p.advice", prose(advice)) : "");
  }

  return h(
    "div.test-push", h("p", "Goes the way of the relay's pushes and shows a notification on the device."), button, way, result);
}

// A test push, with each step as it happens.

import { events, registration } from "./api.js";
import { h } from "./dom.js";
import * as format from "./format.js";
import { glyph } from "./glyphs.js";
import { busyButton, failure, prose } from "./parts.js";
import { station, track } from "./track.js";

const stepNames = { registration: "Registration", gateway: "Gateway", sent: "Sent", answer: "Answer" };

/** A button that sends a test push to a client, and the way that the push takes. */
export function testPush(clientID, signal) {
  const way = h("div");
  const result = h("div.test-result", { role: "status" });

  function draw(steps, isOver) {
    const reached = steps.map(({ name, ok, at_ms, text }) => station(
      { sign: ok ? "ok" : "rejected", title: stepNames[name] ?? name, at: format.latency(at_ms) },
      text && h("p", text)));
    const ahead = Object.keys(stepNames).filter((name) => !steps.some((step) => step.name === name));
    way.replaceChildren(track(...reached, ...ahead.map((name, index) => station({
      sign: !isOver && index === 0 ? "wait" : "unused", title: stepNames[name], isPending: true }))));
  }

  function conclude({ ok, text, advice, duration_ms }) {
    const sign = ok ? "ok" : "rejected";
    const took = h("span.aside", format.latency(duration_ms));
    result.replaceChildren(
      h(`p.state.${sign}`, glyph(sign), h("strong", text), took), advice ? h("p.advice", prose(advice)) : "");
  }

  async function send() {
    const steps = [];
    let isOver = false;
    result.replaceChildren();
    draw(steps, isOver);
    try {
      for await (const { event, data } of events("POST", registration(clientID, "test-push"), { signal })) {
        if (event === "step") steps.push(data);
        isOver ||= event === "result";
        draw(steps, isOver);
        if (event === "result") conclude(data);
      }
      if (!isOver) throw new Error("The answer broke off before the result.");
    } catch (error) {
      if (signal.aborted) return;
      draw(steps, true);
      result.replaceChildren(failure(error));
    }
  }

  const notice = "Goes the way of the relay's pushes and shows a notification on the device.";
  return h("div.test-push", h("p", notice), busyButton("Send a test push", "primary", send), way, result);
}

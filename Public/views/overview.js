// How the server is doing, at a glance: a verdict, then what it rests on.

import * as api from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { historyCharts } from "../history.js";
import { failure, section, waiting } from "../parts.js";
import * as panels from "../panels.js";

const interval = 5000;

export const title = "Overview";

/** Shows the overview and keeps it fresh until `signal` aborts. */
export async function show(main, { signal }) {
  main.replaceChildren(waiting());
  const page = layout(signal);
  let isShown = false;

  async function refresh() {
    try {
      const overview = await api.get("overview", { signal });
      if (signal.aborted) return;
      if (!isShown) main.replaceChildren(page.element);
      isShown = true;
      page.update(overview);
    } catch (error) {
      if (signal.aborted) return;
      if (isShown) page.stale(error);
      else main.replaceChildren(h("h1.hidden", title), failure(error, refresh));
    }
  }

  await refresh();
  const timer = setInterval(() => {
    if (!document.hidden) refresh();
  }, interval);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function layout(signal) {
  const regions = [];
  const region = (selector, draw) => {
    const element = h(selector);
    regions.push({ element, draw, last: null });
    return element;
  };
  const charts = historyCharts(signal);
  const freshness = h("p.aside");
  const element = h(
    "div.overview",
    region("div.verdict", panels.verdict), region("dl.figures", panels.figures),
    section("Gateways", null, region("div", panels.gateways)),
    section("Pushes", null, charts.range, charts.pushes),
    section("Latency", "from the relay's request to our answer", charts.latencies),
    h("div.columns",
      section("Registrations", null, region("div", panels.registrations)),
      section("Refused registrations", "since the start, by reason", region("div", panels.refused)),
      section("Pushes by outcome", "last hour", region("div", panels.outcomes))),
    h("div.columns",
      section("Keys and certificates", null, region("div", panels.credentials)),
      section("Store", null, region("div", panels.store)),
      section("Server", null, region("div", panels.server))),
    freshness);

  return {
    element,
    update(overview) {
      freshness.textContent = `As of ${format.time(Date.now())}, asked again every ${interval / 1000} seconds.`;
      freshness.classList.remove("stale");
      for (const each of regions) {
        const content = each.draw(overview);
        const markup = content.map((node) => node.outerHTML).join("");
        // What is the same stays, and with it the focus and the selection.
        if (markup === each.last) continue;
        each.last = markup;
        each.element.replaceChildren(...content);
      }
      charts.update(overview.history);
    },
    stale(error) {
      freshness.textContent = `No longer fresh: ${error.message}`;
      freshness.classList.add("stale");
    },
  };
}

// What is in effect, where each value came from, and the file's own state.

import * as api from "../api.js";
import { h, pair } from "../dom.js";
import * as format from "../format.js";
import { glyph, stateLabel } from "../glyphs.js";
import { notify } from "../notices.js";
import { busyButton, empty, failure, head, section, waiting } from "../parts.js";
import { link, note } from "../router.js";

export const title = "Configuration";

/** Shows the configuration in effect. */
export async function show(main, { query, signal }) {
  const again = () => show(main, { query, signal });
  main.replaceChildren(waiting());
  try {
    const { reload, values } = await api.get("configuration", { signal });
    if (signal.aborted) return;
    const state = h("div.reload-state", fileState(reload));
    const button = busyButton("Reload", "primary", () => reloadNow(state, again));
    main.replaceChildren(
      head(title, "As it is in effect now; secrets are not shown.", button), state,
      section("Values", null, valueList(values, query)));
  } catch (error) {
    if (!signal.aborted) main.replaceChildren(h("h1", { tabindex: -1 }, title), failure(error, again));
  }
}

function fileState({ file, loaded_at, generation, attempts, differs_on_disk, problems, failed_at }) {
  const changed = problems.length ? "Has changed since, and cannot be loaded as it is"
    : "Has changed since: reload to put it into effect";
  const onDisk = differs_on_disk ? stateLabel("degraded", changed) : stateLabel("ok", "The same as in effect");
  return [
    problems.length ? problemList(problems, failed_at) : null,
    h("dl.facts",
      pair("File", file ? h("code", file) : "none: everything came from the environment"),
      pair("Loaded", format.moment(loaded_at), h("span.aside", ` ${format.ago(loaded_at)}`)),
      file && pair("On disk", onDisk),
      pair("Put into effect", format.plural(generation, "time"),
        h("span.aside", `, ${format.plural(attempts, "reload")} tried`))),
  ].filter(Boolean);
}

function problemList(problems, failedAt) {
  const when = failedAt && h("span.aside", ` ${format.moment(failedAt)}`);
  return h(
    "div.problems", { role: "alert" }, glyph("rejected"),
    h("div", h("p", h("strong", "The last reload changed nothing."), when),
      h("ul", problems.map((problem) => h("li", h("code", problem)))),
      h("p.advice", "Mend the file, then reload. What was in effect before still is.")));
}

async function reloadNow(state, again) {
  try {
    await api.send("POST", "reload");
    notify("The configuration is loaded and in effect.");
    await again();
  } catch (error) {
    if (error.status !== 422) return notify(`Not reloaded: ${error.message}`, { sign: "rejected" });
    const { reload } = await api.get("configuration");
    state.replaceChildren(...fileState({ ...reload, problems: error.messages }));
  }
}

/** What was set; with the box ticked, the defaults too. */
function valueList(values, query) {
  const tables = h("div");
  const draw = (withDefaults) => {
    note(link("configuration", { all: withDefaults ? "1" : "" }));
    tables.replaceChildren(...valueTables(values.filter((value) => withDefaults || !value.is_default)));
  };
  const box = h("input", {
    type: "checkbox", checked: query.get("all") === "1", onchange: (event) => draw(event.target.checked),
  });
  draw(query.get("all") === "1");
  return h("div", h("label.check", box, "Show defaults too"), tables);
}

function valueTables(values) {
  if (!values.length) return [empty("Everything is a default.", "Nothing is set in a file or by the environment.")];
  const columns = ["Key", "Value", "From"].map((word) => h("th", { scope: "col" }, word));
  return Object.entries(Object.groupBy(values, ({ section: name }) => name)).map(([name, rows]) => h(
    "table.values",
    h("caption", h("code", name ? `[${name}]` : "top level")), h("thead.hidden", h("tr", columns)),
    h("tbody", rows.map(valueRow))));
}

function valueRow({ name, value, origin, help, is_default, is_secret }) {
  return h(
    "tr", h("th", { scope: "row" }, h("code", name), h("span.help", help)),
    h("td", is_secret && !is_default ? h("span.secret", "set, not shown") : h("code", value)),
    h("td.origin", is_default ? h("span.aside", "default") : origin));
}

// What is in effect, where each value came from, and the file's own state.

import * as api from "../api.js";
import { h, pair } from "../dom.js";
import * as format from "../format.js";
import { glyph } from "../glyphs.js";
import { notify } from "../notices.js";
import { empty, failure, head, section, waiting, whileBusy } from "../parts.js";
import { current, link, note } from "../router.js";

export const title = "Configuration";

/** Shows the configuration in effect. */
export async function show(main, { query, signal }) {
  main.replaceChildren(waiting());
  try {
    const configuration = await api.get("configuration", { signal });
    if (!signal.aborted) draw(main, configuration, query, signal);
  } catch (error) {
    if (!signal.aborted) main.replaceChildren(h("h1", { tabindex: -1 }, title), failure(error, () => show(main, { query, signal })));
  }
}

function draw(main, { reload, values }, query, signal) {
  const state = h("div.reload-state", fileState(reload));
  const button = h("button.primary", { type: "button", onclick: () => whileBusy(button, () => reloadNow(main, state, query, signal)) }, "Reload");
  const table = h("div");
  let onlySet = query.get("all") !== "1";
  const redraw = () => table.replaceChildren(...valueTables(values, onlySet));
  const toggle = h("label.check", h("input", {
    type: "checkbox", checked: !onlySet,
    onchange: (event) => {
      onlySet = !event.target.checked;
      note(link("configuration", { all: onlySet ? "" : "1" }));
      redraw();
    },
  }), "Show defaults too");
  main.replaceChildren(head(title, "As it is in effect now; secrets are not shown.", button), state, section("Values", null, toggle, table));
  redraw();
}

function fileState(reload) {
  const file = reload.file ? h("code", reload.file) : "none: everything came from the environment";
  return [
    reload.problems.length ? h("div.problems", { role: "alert" }, glyph("rejected"), h("div",
      h("p", h("strong", "The last reload changed nothing."), reload.failed_at && h("span.aside", ` ${format.moment(reload.failed_at)}`)),
      h("ul", reload.problems.map((problem) => h("li", h("code", problem)))),
      h("p.advice", "Mend the file, then reload. What was in effect before still is."))) : null,
    h("dl.facts", pair("File", file), pair("Loaded", format.moment(reload.loaded_at), h("span.aside", ` ${format.ago(reload.loaded_at)}`)),
      pair("On disk", reload.differs_on_disk ? h("span.state.degraded", glyph("degraded"), h("span", "Has changed since: reload to put it into effect"))
        : h("span.state.ok", glyph("ok"), h("span", "The same as in effect"))),
      pair("Put into effect", format.plural(reload.generation, "time"), h("span.aside", `, ${format.plural(reload.attempts, "reload")} tried`))),
  ].filter(Boolean);
}

async function reloadNow(main, state, query, signal) {
  try {
    await api.send("POST", "reload");
    notify("The configuration is loaded and in effect.");
    await show(main, { query, signal });
  } catch (error) {
    if (error.status !== 422) return notify(`Not reloaded: ${error.message}`, { sign: "rejected" });
    const { reload } = await api.get("configuration", { signal });
    state.replaceChildren(...fileState({ ...reload, problems: reload.problems.length ? reload.problems : error.messages }));
  }
}

function valueTables(values, onlySet) {
  const shown = values.filter((value) => !onlySet || !value.is_default);
  if (!shown.length) return [empty("Everything is a default.", "Nothing is set in a file or by the environment.")];
  return Object.entries(Object.groupBy(shown, (value) => value.section)).map(([name, rows]) => h(
    "table.values",
    h("caption", h("code", name ? `[${name}]` : "top level")),
    h("thead.hidden", h("tr", ["Key", "Value", "From"].map((word) => h("th", { scope: "col" }, word)))),
    h("tbody", rows.map((value) => h(
      "tr", h("th", { scope: "row" }, h("code", value.name), h("span.help", value.help)),
      h("td", value.is_secret ? h("span.secret", "set, not shown") : h("code", value.value)),
      h("td.origin", value.is_default ? h("span.aside", "default") : value.origin))))));
}

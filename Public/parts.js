// What several views are made of: the head of a view, and its states of waiting, failing and having nothing.

import { h } from "./dom.js";
import { glyph } from "./glyphs.js";

/** A view's title, a line on what it is for, and its main actions. */
export function head(title, lead, ...actions) {
  return h(
    "header.head", h("div", h("h1", { tabindex: -1 }, title), lead && h("p.lead", lead)),
    actions.length ? h("div.actions", ...actions) : null);
}

/** A titled part of a view; its heading names it for screen readers. */
export function section(title, aside, ...content) {
  const heading = h("h2", title);
  return h("section", h("div.section-head", heading, aside && h("p.aside", aside)), ...content);
}

/** Shows that an answer is on its way, for screen readers at once and for the eye after a moment. */
export function waiting(text = "Asking the server…") {
  return h("p.waiting", { role: "status" }, h("span.bar", { "aria-hidden": "true" }), text);
}

/** Says what went wrong, with a way to try again. */
export function failure(error, retry) {
  return h(
    "div.failure", { role: "alert" }, glyph("rejected"),
    h("div", ...(error.messages ?? [error.message]).map((text) => h("p", text)),
      retry && h("button", { type: "button", onclick: retry }, "Try again")));
}

/** Says that there is nothing, why that may be, and what one can do. */
export function empty(title, ...text) {
  return h("div.empty", h("p.empty-title", title), h("p", ...text));
}

/** A button that copies a text, such as a client ID. */
export function copyButton(text, noun) {
  const button = h("button.quiet", { type: "button" }, `Copy ${noun}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy by hand";
    }
  });
  return button;
}

/** A button; `kind` is `primary`, `danger`, `quiet` or nothing. */
export function button(word, kind, onclick) {
  return h(kind ? `button.${kind}` : "button", { type: "button", onclick }, word);
}

/** A button whose action takes its time; a second press meanwhile does nothing. */
export function busyButton(word, kind, action) {
  const element = button(word, kind, () => whileBusy(element, action));
  return element;
}

/** A labelled choice: `options` maps values to words. */
export function choice(label, name, options, value, onchange) {
  const select = h("select", { name, onchange }, Object.entries(options).map(([each, word]) =>
    h("option", { value: each, selected: each === (value ?? "") }, word)));
  return h("label.field", h("span", label), select);
}

/** Runs `action` while `button` shows that it is busy; a second press meanwhile does nothing. */
export async function whileBusy(button, action) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  try {
    return await action();
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

/**
 * A table whose rows stack on a narrow screen. Each row is its cells, the first being its heading. The roles say
 * again what the elements are, since stacking hides that from some browsers.
 */
export function dataTable(columns, rows) {
  const head = columns.map((name) => h("th", { scope: "col", role: "columnheader" }, name));
  const body = rows.map(([first, ...cells]) => h(
    "tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, first),
    cells.map((cell, index) => h("td", { role: "cell", "data-label": columns[index + 1] }, cell))));
  return h(
    "table.list", { role: "table" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head)), h("tbody", { role: "rowgroup" }, body));
}

/** The server's sentences, in which backquotes stand around code. */
export function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", part) : part));
}

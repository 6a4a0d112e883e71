// Questions before what cannot simply be taken back, and notices after.

import { h } from "./dom.js";
import { glyph } from "./glyphs.js";

/** Asks before something happens; true when the answer is yes. Escape means no. */
export function confirm({ title, text, yes }) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog", { "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text" },
      h("form", { method: "dialog" },
        h("h2", { id: "dialog-title" }, title), h("p", { id: "dialog-text" }, text),
        h("div.actions", h("button", { value: "no", autofocus: true }, "Cancel"),
          h("button.danger", { value: "yes" }, yes))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Shows a notice above the content. With an `action` (its word and what it does) it stays until `until`,
 * milliseconds since the epoch, and takes the focus, so that the keyboard can undo at once, unless `isQuiet`;
 * without, for ten seconds.
 */
export function notify(text, { sign = "ok", action, run, isQuiet = false, until = Date.now() + 10_000 } = {}) {
  const notice = h("div.notice", glyph(sign), h("p", text));
  const close = () => notice.remove();
  if (action) {
    const button = h("button", { type: "button", onclick: () => { close(); run(); } }, action);
    notice.append(button);
    if (!isQuiet) queueMicrotask(() => button.focus());
  }
  notice.append(h("button.quiet", { type: "button", "aria-label": "Close this notice", onclick: close }, "Close"));
  document.getElementById("notices").replaceChildren(notice);
  setTimeout(close, Math.max(0, until - Date.now()));
}

/** Takes away what is shown. */
export function dismiss() {
  document.getElementById("notices").replaceChildren();
}

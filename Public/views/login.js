// Before the session: the password, or how to turn this page on.

import * as api from "../api.js";
import { h } from "../dom.js";
import { mark } from "../glyphs.js";
import { button, prose, whileBusy } from "../parts.js";
import * as format from "../format.js";

/** Asks for the password; `welcome` is called with the session. `reason` says why it is asked again. */
export function showLogin(main, { reason, welcome }) {
  const message = h("p.form-message", { role: "alert" }, reason ?? "");
  const password = h("input", {
    type: "password", name: "password", id: "password", autocomplete: "current-password", required: true,
    maxlength: 1024, "aria-describedby": "login-message",
  });
  message.id = "login-message";
  const submitButton = h("button.primary", { type: "submit" }, "Sign in");
  let countdown = null;

  async function submit(event) {
    event.preventDefault();
    if (countdown || !password.value) return;
    const pause = await whileBusy(submitButton, tryPassword);
    if (pause) lockOut(pause);
  }

  /** Seconds for which the server takes no further password, if so. */
  async function tryPassword() {
    try {
      const session = await api.login(password.value);
      password.value = "";
      welcome(session);
    } catch (error) {
      if (error.status === 429) return error.retryAfter ?? 1;
      message.textContent = error.name === "wrong_password" ? "That is not the password." : error.message;
      password.select();
    }
    return 0;
  }

  function lockOut(seconds) {
    const until = Date.now() + seconds * 1000;
    message.textContent = `Too many wrong passwords. Try again in ${format.plural(seconds, "second")}.`;
    submitButton.setAttribute("aria-disabled", "true");
    countdown = setInterval(() => {
      const left = Math.ceil((until - Date.now()) / 1000);
      submitButton.textContent = left > 0 ? `Sign in (in ${left} s)` : "Sign in";
      if (left > 0) return;
      clearInterval(countdown);
      countdown = null;
      submitButton.removeAttribute("aria-disabled");
      message.textContent = "You can try again now.";
    }, 500);
  }

  main.replaceChildren(h(
    "div.gate", mark(), h("h1", "pushbox"), h("p.lead", "Admin page of ", h("strong", location.host)),
    h("form", { onsubmit: submit },
      // For password managers, which want a name to keep the password by.
      h("input", { type: "text", name: "username", autocomplete: "username", value: "admin", hidden: true }),
      h("label", { for: "password" }, "Password"), password, message, submitButton)));
  password.focus();
}

/** Says how to turn the page on; shows nothing else. */
export function showDisabled(main, session) {
  if (session.elsewhere) {
    return main.replaceChildren(h(
      "div.gate", mark(), h("h1", "The admin page is not here"), h("p.lead", prose(session.how_to_enable))));
  }
  main.replaceChildren(h(
    "div.gate", mark(), h("h1", "This admin page is off"),
    h("p.lead", "pushbox is running, but its configuration has no ", h("code", "[admin]"),
      " section, so nothing is shown here."),
    h("p", prose(session.how_to_enable)), h("pre", h("code", "[admin]\npassword_hash = \"…\"")),
    h("p", "Then ", h("a", { href: "" }, "load this page again"), ".")));
}

/** The server does not answer, or has no admin page at this address. */
export function showUnreachable(main, error, retry) {
  const isElsewhere = error.status === 404;
  main.replaceChildren(h(
    "div.gate", mark(), h("h1", isElsewhere ? "The admin page is not here" : "No answer"),
    h("p.lead", { role: "alert" }, isElsewhere
      ? ["With ", h("code", "admin.listen"), " in its configuration it has an address of its own."] : error.message),
    button("Try again", null, retry)));
}

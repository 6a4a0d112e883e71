// Starts the page: asks who is here, then shows the view that the address names.

import * as api from "./api.js";
import { frame } from "./frame.js";
import { dismiss, notify } from "./notices.js";
import { failure } from "./parts.js";
import { current } from "./router.js";
import { showDisabled, showLogin, showUnreachable } from "./views/login.js";
import * as overview from "./views/overview.js";

/** Views besides the overview are loaded when they are asked for. */
const views = {
  registrations: () => import("./views/registrations.js"), registration: () => import("./views/registration.js"),
  why: () => import("./views/why.js"), deliveries: () => import("./views/deliveries.js"),
  configuration: () => import("./views/configuration.js"), backup: () => import("./views/backup.js"),
  log: () => import("./views/actions.js"),
};
const main = document.getElementById("main");
let signedIn = false;
let leave = new AbortController();

async function start() {
  try {
    const session = await api.session();
    if (!session.enabled) return showDisabled(main, session);
    if (session.signed_in) welcome();
    else askForPassword();
  } catch (error) {
    showUnreachable(main, error, start);
  }
}

function welcome() {
  signedIn = true;
  frame.open(signOut);
  showCurrent({ isFirst: true });
}

async function signOut() {
  try {
    await api.logout();
    dismiss();
    askForPassword("You have signed out.");
  } catch (error) {
    // When the session had ended before, the password is asked for already.
    if (error.status !== 401) notify(`Not signed out: ${error.message}`, { sign: "rejected" });
  }
}

function askForPassword(reason) {
  signedIn = false;
  leave.abort();
  frame.close();
  document.title = "Sign in – pushbox";
  showLogin(main, { reason, welcome });
}

async function showCurrent({ isFirst = false } = {}) {
  if (!signedIn) return;
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const field = main.contains(document.activeElement) ? document.activeElement.name : null;
  const route = current();
  const view = await viewOf(route.segments);
  if (signal.aborted || !view) return;
  document.title = `${view.title} – pushbox`;
  frame.mark(route.segments[0] ?? "");
  scrollTo(0, 0);
  await view.show(main, { ...route, signal });
  if (!isFirst && !signal.aborted) keepFocus(field);
}

/** The view of a path; null when the server does not give it, which is then said. */
async function viewOf([first, second]) {
  const load = views[first === "registrations" && second ? "registration" : first];
  try {
    return load ? await load() : overview;
  } catch {
    const error = new Error("This part of the page did not load. The server may be down, or newer than the page.");
    main.replaceChildren(failure(error, () => location.reload()));
    return null;
  }
}

/** The keyboard goes on in the field that it was in, else at the title of the view; a notice keeps the focus. */
function keepFocus(field) {
  if (document.getElementById("notices").contains(document.activeElement)) return;
  const target = (field && main.querySelector(`[name="${field}"]`)) || main.querySelector("h1");
  target?.focus({ preventScroll: true });
  if (target?.type === "search") target.select();
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => showCurrent());
addEventListener("signed-out", () => {
  if (signedIn) askForPassword("Your session has ended. Sign in again.");
});
start();

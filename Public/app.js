// Starts the page: asks who is here, then shows the view that the address names.

import * as api from "./api.js";
import { frame } from "./frame.js";
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
  frame.open(async () => {
    await api.logout();
    askForPassword("You have signed out.");
  });
  showCurrent({ isFirst: true });
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
  const route = current();
  const [first = "", second] = route.segments;
  const load = views[first === "registrations" && second ? "registration" : first];
  frame.mark(first);
  const view = load ? await load() : overview;
  if (signal.aborted) return;
  document.title = `${view.title} – pushbox`;
  scrollTo(0, 0);
  await view.show(main, { ...route, signal });
  // A screen reader goes on at the new view; not when a field has the focus by now.
  if (!isFirst && !signal.aborted && !document.getElementById("notices").contains(document.activeElement)) {
    main.querySelector("h1")?.focus({ preventScroll: true });
  }
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

// The frame around the views: where one is, where one can go, and the way out.

import { h } from "./dom.js";
import { mark } from "./glyphs.js";
import { link } from "./router.js";

const places = {
  "": "Overview", registrations: "Registrations", why: "Why no push?", deliveries: "Deliveries",
  configuration: "Configuration", backup: "Backup", log: "Log",
};
const shell = document.getElementById("shell");
let bar = null;

/** Opens with the session and closes with it. */
export const frame = {
  /** Builds the navigation; `signOut` is called by its button. */
  open(signOut) {
    const links = Object.entries(places).map(([path, word]) =>
      h("li", h("a", { href: path ? link(path) : "#/", "data-place": path }, word)));
    const nav = h("nav", { id: "places", "aria-label": "Views" }, h("ul", links),
      h("button.quiet", { type: "button", onclick: signOut }, "Sign out"));
    const menu = h("button.menu", {
      type: "button", "aria-expanded": "false", "aria-controls": "places",
      onclick: () => toggle(!bar.classList.contains("is-open")),
    }, "Menu");
    const brand = h("a.brand", { href: "#/" }, mark(), h("span", "pushbox", h("span.host", location.host)));
    bar = h("header.frame", brand, menu, nav);
    document.body.classList.add("is-signed-in");
    shell.prepend(bar);
  },

  close() {
    bar?.remove();
    bar = null;
    document.body.classList.remove("is-signed-in");
  },

  /** Marks the place that is shown. */
  mark(place) {
    for (const each of bar.querySelectorAll("[data-place]")) {
      if (each.dataset.place === place) each.setAttribute("aria-current", "page");
      else each.removeAttribute("aria-current");
    }
    toggle(false);
  },
};

function toggle(isOpen) {
  bar.classList.toggle("is-open", isOpen);
  bar.querySelector(".menu").setAttribute("aria-expanded", String(isOpen));
}

// A copy of all registrations, to keep elsewhere.

import * as api from "../api.js";
import { h } from "../dom.js";
import { head, section } from "../parts.js";

const restore = `systemctl stop pushbox
runuser -u pushbox -- pushbox restore --force BACKUP
systemctl start pushbox`;

export const title = "Backup";

/** Offers the copy, and says what it takes to use it. */
export function show(main) {
  main.replaceChildren(
    head(title, "A consistent copy of every registration, made while the server runs."),
    h("p", h("a.button.primary", { href: api.address("backup"), download: "" }, "Download a backup")),
    section("What you need besides", null,
      h("p", "Device tokens in the copy are encrypted. Without the token key of this server it is of no use: keep ",
        h("code", "token.key"), " from the store's folder with it, but not in the same place.")),
    section("How to put it back", null,
      h("p", "With the server stopped. The copy is verified in full before it takes the place of what is there, which stays beside it."),
      h("pre", h("code", restore))));
}

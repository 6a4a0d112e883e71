// Who did what on this page.

import * as api from "../api.js";
import { shortID } from "../clientid.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { stateLabel } from "../glyphs.js";
import { dataTable, empty, failure, head, waiting } from "../parts.js";
import { link } from "../router.js";

const words = {
  login: "Signed in", logout: "Signed out", delete: "Deleted a registration", restore: "Undid a deletion",
  revive: "Revived a registration", test_push: "Sent a test push", reload: "Reloaded the configuration",
  backup: "Downloaded a backup",
};
const failedWords = { login: "Wrong password" };

export const title = "Log";

/** Shows the latest actions, newest first. */
export async function show(main, { signal }) {
  const list = h("div", waiting());
  main.replaceChildren(head(title, "What was done on this page, and wrong passwords."), list);
  try {
    const { items } = await api.get("actions", { signal });
    if (!signal.aborted) list.replaceChildren(items.length ? table(items) : empty("Nothing yet."));
  } catch (error) {
    if (!signal.aborted) list.replaceChildren(failure(error, () => show(main, { signal })));
  }
}

function table(items) {
  return dataTable(["When", "What", "Client", "From"], items.map(({ at, action, target, ok, detail, address }) => [
    h("span.whole", { title: format.ago(at) }, format.moment(at)),
    [ok ? wordOf(action) : stateLabel("rejected", failedWords[action] ?? `${wordOf(action)}: failed`),
      detail && !failedWords[action] && h("span.aside", ` ${detail}`)],
    target ? h("a.id", { href: link("registrations", target), title: target }, shortID(target)) : "",
    address ? h("code.whole", address) : "",
  ]));
}

function wordOf(action) {
  return words[action] ?? action;
}

// The one sentence on top of the overview, and what there is to see to, worst first.

import * as format from "./format.js";
import { link } from "./router.js";
import { gatewayNames, gatewayStates, levelSigns } from "./words.js";

const severity = ["rejected", "unreachable", "suspect", "degraded"];

/** Judges an overview: `{ sign, title, lead, concerns }`. */
export function verdict(overview) {
  const concerns = [...gatewayConcerns(overview), ...credentialConcerns(overview), ...storeConcerns(overview), ...reloadConcerns(overview)]
    .sort((a, b) => severity.indexOf(a.sign) - severity.indexOf(b.sign));
  if (concerns.length === 1) return { sign: concerns[0].sign, title: concerns[0].title, lead: null, concerns };
  if (concerns.length) return { sign: concerns[0].sign, title: `${concerns.length} things need attention`, lead: null, concerns };
  if (!overview.gateways.length) {
    return { sign: "degraded", title: "No gateway is configured", lead: "Pushes cannot go anywhere yet.", concerns };
  }
  const used = overview.gateways.filter((gateway) => gateway.state === "ok");
  if (!used.length) {
    return { sign: "unused", title: "Ready, and waiting for the first push", lead: "Nothing was sent since the start. A test push from a registration shows whether the gateways take it.", concerns };
  }
  return { sign: "ok", title: "Pushes are going out", lead: `${listed(used.map((gateway) => gatewayNames[gateway.name] ?? gateway.name))} ${used.length === 1 ? "takes" : "take"} them; nothing needs attention.`, concerns };
}

function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function gatewayConcerns({ gateways }) {
  return gateways.filter((gateway) => !["ok", "unused"].includes(gateway.state)).map((gateway) => ({
    // What it says and what to do stands in its own row, just below.
    sign: gateway.state, title: `${gatewayNames[gateway.name] ?? gateway.name} ${gatewayStates[gateway.state] ?? gateway.state}`,
  }));
}

function credentialConcerns({ credentials }) {
  return credentials.filter((each) => each.level !== "ok").map((each) => ({
    sign: levelSigns[each.level],
    title: each.days_left == null ? each.name : each.days_left < 0 ? `${each.name} has expired` : `${each.name} expires in ${format.plural(each.days_left, "day")}`,
    reason: each.note, advice: `Put the new one in place of ${each.key}, then reload.`,
  }));
}

function storeConcerns({ store }) {
  if (store.level === "ok") return [];
  const percent = Math.max(store.registrations.percent, store.deliveries.percent);
  return [{
    sign: levelSigns[store.level], title: `The store is ${percent} % full`,
    reason: "At 100 % registrations are refused; pushes go on.", advice: "Raise store.map_size, or make room on the disk, then restart pushbox.",
  }];
}

function reloadConcerns({ reload }) {
  const href = { href: link("configuration"), word: "See the configuration" };
  if (reload.problems.length) {
    return [{ sign: "degraded", title: "The last reload changed nothing", reason: reload.problems[0], advice: "Mend the file and reload; until then the earlier configuration is in effect.", link: href }];
  }
  if (!reload.differs_on_disk) return [];
  return [{ sign: "degraded", title: "The configuration file has changed since it was loaded", advice: "Reload to put it into effect.", link: href }];
}

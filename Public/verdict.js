// The one sentence on top of the overview, and what there is to see to, worst first.

import * as format from "./format.js";
import { link } from "./router.js";
import { gatewayName, gatewayStates, levelSigns } from "./words.js";

const severity = ["rejected", "unreachable", "suspect", "degraded"];

/** Judges an overview: the worst, or the calm, as `{ sign, title, lead, reason, advice, link }`, and the `others`. */
export function judge(overview) {
  const concerns = [
    ...gatewayConcerns(overview), ...credentialConcerns(overview), ...storeConcerns(overview),
    ...reloadConcerns(overview),
  ].sort((a, b) => severity.indexOf(a.sign) - severity.indexOf(b.sign));
  const [worst, ...others] = concerns;
  return worst ? { ...worst, others } : { ...calm(overview), others };
}

function calm({ gateways }) {
  if (!gateways.length) {
    return { sign: "degraded", title: "No gateway is configured", lead: "Pushes cannot go anywhere yet." };
  }
  const used = gateways.filter(({ state }) => state === "ok").map(({ name }) => gatewayName(name));
  if (!used.length) {
    return {
      sign: "unused", title: "Ready, and waiting for the first push",
      lead: "Nothing was sent since the start. A test push from a registration shows whether the gateways take it.",
    };
  }
  const names = new Intl.ListFormat("en-GB").format(used);
  const lead = `${names} ${used.length === 1 ? "takes" : "take"} them; nothing needs attention.`;
  return { sign: "ok", title: "Pushes are going out", lead };
}

function gatewayConcerns({ gateways }) {
  // What a gateway says and what to do stands in its own row, just below.
  return gateways.filter(({ state }) => !["ok", "unused"].includes(state)).map(({ name, state }) => ({
    sign: state, title: `${gatewayName(name)} ${gatewayStates[state] ?? state}`,
  }));
}

function credentialConcerns({ credentials }) {
  const titleOf = ({ name, days_left, expires_at }) => {
    if (days_left == null) return name;
    return days_left < 0 ? `${name} has expired` : `${name} expires in ${format.span(expires_at - Date.now())}`;
  };
  // The files of [tls] are watched.
  const adviceOf = ({ key }) => (key.startsWith("tls.")
    ? `Put the renewed one in place of ${key}: it is taken into use by itself.`
    : `Put the new one in place of ${key}, then reload.`);
  return credentials.filter(({ level }) => level !== "ok").map((each) => ({
    sign: levelSigns[each.level], title: titleOf(each), reason: each.note, advice: adviceOf(each),
  }));
}

function storeConcerns({ store }) {
  if (store.level === "ok") return [];
  const percent = Math.max(store.registrations.percent, store.deliveries.percent);
  return [{
    sign: levelSigns[store.level], title: `The store is ${percent} % full`,
    reason: "At 100 % registrations are refused; pushes go on.",
    advice: "Raise store.map_size or make room on the disk, then restart pushbox.",
  }];
}

function reloadConcerns({ reload }) {
  const seen = { href: link("configuration"), word: "See the configuration" };
  if (reload.problems.length) {
    return [{
      sign: "degraded", title: "The last reload changed nothing", reason: reload.problems[0],
      advice: "Mend the file and reload; until then the earlier configuration is in effect.", link: seen,
    }];
  }
  if (!reload.differs_on_disk) return [];
  return [{
    sign: "degraded", title: "The configuration file has changed since it was loaded",
    advice: "Reload to put it into effect.", link: seen,
  }];
}

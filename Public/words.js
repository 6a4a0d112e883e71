// What the server's short words mean to an operator.

/** The gateways' names. */
export const gatewayNames = { apns: "APNs", "apns-sandbox": "APNs sandbox", fcm: "FCM" };

/** A gateway's name, or its key when this page does not know it. */
export const gatewayName = (key) => gatewayNames[key] ?? key;

/** A gateway's state: what it does, to follow its name. */
export const gatewayStates = {
  ok: "takes pushes",
  unused: "nothing sent yet",
  degraded: "is failing",
  rejected: "refuses our credentials",
  suspect: "refuses most device tokens",
  unreachable: "cannot be reached",
};

/** How a push ended: the sign that goes with it, and the words. */
export const outcomes = {
  accepted: { sign: "ok", word: "Delivered" },
  duplicate: { sign: "ok", word: "Delivered before" },
  unknown_client: { sign: "unused", word: "Not registered" },
  client_deleted: { sign: "suspect", word: "Device token dead" },
  invalid_body: { sign: "degraded", word: "Body unusable" },
  unauthorized: { sign: "degraded", word: "Signature refused" },
  payload_too_large: { sign: "degraded", word: "Too large" },
  provider_not_available: { sign: "rejected", word: "No such gateway" },
  gateway_rejected: { sign: "rejected", word: "Gateway refused us" },
  gateway_busy: { sign: "degraded", word: "Gateway throttles" },
  gateway_unavailable: { sign: "unreachable", word: "Gateway failed" },
  gateway_timeout: { sign: "unreachable", word: "Gateway silent" },
  overloaded: { sign: "rejected", word: "pushbox overloaded" },
  store_failed: { sign: "rejected", word: "Store failed" },
};

/** An outcome that this page does not know yet. */
export const outcome = (name) => outcomes[name] ?? { sign: "degraded", word: name };

/** The chart's series: outcomes that mean the same to the eye. */
export const outcomeGroups = [
  { key: "delivered", name: "Delivered", members: ["accepted"] },
  { key: "again", name: "Delivered before", members: ["duplicate"] },
  { key: "gone", name: "No device", members: ["unknown_client", "client_deleted"] },
  { key: "refused", name: "Refused by pushbox", members: ["invalid_body", "unauthorized", "payload_too_large"] },
  {
    key: "failed", name: "Failed",
    members: [
      "provider_not_available", "gateway_rejected", "gateway_busy", "gateway_unavailable", "gateway_timeout",
      "overloaded", "store_failed",
    ],
  },
];

/** The key of the group that an outcome belongs to. */
export const groupOf = (name) => outcomeGroups.find(({ members }) => members.includes(name))?.key ?? "failed";

/** Why a registration was refused. */
export const refusals = {
  body: "Body unusable", client_id: "Client ID wrong", type: "Type of token unknown", token: "Device token wrong",
  unauthenticated: "Client ID not proved", no_gateway: "Gateway not configured",
};

/** The sign for a level of the server: `ok`, `warning` or `error`. */
export const levelSigns = { ok: "ok", warning: "degraded", error: "rejected" };

// Client IDs: the did:key of a wallet, with or without its `did:key:`.

/** Whether a text may be the beginning of a client ID. Anything else may be a device token, which must not get
 * into an address. */
export function isClientID(text) {
  return /^(did:key:)?z[1-9A-HJ-NP-Za-km-z]{0,60}$/.test(text);
}

/** A client ID without `did:key:`, as the server keeps it. */
export const bareID = (text) => text.replace(/^did:key:/, "");

/** A client ID that fits a table: its beginning and end. */
export const shortID = (id) => (id.length > 20 ? `${id.slice(0, 10)}…${id.slice(-6)}` : id);

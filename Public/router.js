// Paths behind the `#`, so that every view has an address, the back button works, and a reload stays.

/** The route in the address: its path as decoded segments, and its query. */
export function current() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { segments: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

/** The address of a route: `link("registrations", id)`; a last plain object is the query. */
export function link(...parts) {
  const query = typeof parts.at(-1) === "object" ? parts.pop() : {};
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
  const path = parts.map(encodeURIComponent).join("/");
  return `#/${path}${search.size ? `?${search}` : ""}`;
}

/** Goes to a route; shows it anew when one is there already. */
export function go(address) {
  if (address === location.hash) dispatchEvent(new Event("hashchange"));
  else location.hash = address;
}

/** Puts the state of a view into its address without showing it anew. */
export function note(address) {
  history.replaceState(null, "", address);
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

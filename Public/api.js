// The admin API of this server (docs/openapi.yaml), and nothing else: the page asks no other host.

const root = new URL("admin/api/", document.baseURI);
let csrfToken = null;

/** What the server refused or failed at; `message` is for people. */
export class APIError extends Error {
  /** `status` is 0 when no answer came; `name` is the server's short word for programs. */
  constructor(status, name, messages, retryAfter) {
    super(messages[0]);
    this.status = status;
    this.name = name;
    this.messages = messages;
    this.retryAfter = retryAfter;
  }
}

/** The address of a route, for links and event streams. */
export function address(path, query = {}) {
  const url = new URL(path, root);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  return url;
}

/** The path of one registration's route: `registration(id, "revive")`. */
export function registration(clientID, ...rest) {
  return ["registrations", encodeURIComponent(clientID), ...rest].join("/");
}

/** Reads a route; `query` leaves out what is empty. */
export async function get(path, { query, signal } = {}) {
  return (await ask("GET", address(path, query), { signal })).json();
}

/** Changes something: `send("DELETE", path)`, or with a body that becomes JSON. */
export async function send(method, path, body, { signal } = {}) {
  return (await ask(method, address(path), { body, signal })).json();
}

/** Asks who is signed in, and keeps the token that changing requests need. */
export async function session() {
  return keep(await get("session"));
}

export async function login(password) {
  return keep(await send("POST", "login", { password }));
}

export async function logout() {
  return keep(await send("POST", "logout"));
}

/**
 * Sends a request whose answer comes as server-sent events, and yields each as `{ event, data }`. An
 * `EventSource` can only GET.
 */
export async function* events(method, path, { signal } = {}) {
  const response = await ask(method, address(path), { accept: "text/event-stream", signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (true) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: ?(.*)/s)));
      if (fields.data) yield { event: fields.event, data: JSON.parse(fields.data) };
    }
  }
}

async function ask(method, url, { body, accept = "application/json", signal }) {
  const headers = { accept };
  if (method !== "GET" && csrfToken) headers["x-csrf-token"] = csrfToken;
  if (body) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(url, { method, headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new APIError(0, "unreachable", ["The server does not answer. Is it running, and is this device online?"]);
  }
  if (response.ok) return response;
  const error = await failure(response);
  if (error.name === "unauthenticated") dispatchEvent(new Event("signed-out"));
  throw error;
}

async function failure(response) {
  let errors;
  try {
    errors = (await response.json()).errors;
  } catch {
    errors = null;
  }
  const messages = errors?.map((each) => each.message) ?? [`The server answered ${response.status}.`];
  const retryAfter = Number(response.headers.get("retry-after")) || null;
  return new APIError(response.status, errors?.[0]?.name ?? "http", messages, retryAfter);
}

function keep(session) {
  csrfToken = session.csrf_token;
  return session;
}

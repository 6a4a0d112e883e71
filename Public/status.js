// Shows what /status says, and asks again every few seconds.

const interval = 5000;

const kinds = { apns: "APNs", "apns-sandbox": "APNs sandbox", fcm: "FCM" };
const states = {
  ok: ["works", "good"],
  unused: ["not used yet", "wait"],
  degraded: ["has failures", "wait"],
};

function element(name, text, className) {
  const node = document.createElement(name);
  node.textContent = text;
  if (className) node.className = className;
  return node;
}

function pair(term, value) {
  const row = document.createElement("div");
  row.append(element("dt", term), element("dd", value));
  return row;
}

function show(status) {
  document.getElementById("version").textContent = `version ${status.version}`;
  const state = document.getElementById("state");
  state.textContent = "Serving";
  state.className = "good";
  document.getElementById("push-url").textContent = status.push_url;
  document.getElementById("gateways").replaceChildren(
    ...Object.entries(status.gateways).map(([kind, label]) => {
      const [words, className] = states[label] ?? [label, "bad"];
      const row = element("li", kinds[kind] ?? kind);
      row.append(element("strong", words, className));
      return row;
    }),
  );
  const counts = status.registrations;
  document.getElementById("registrations").replaceChildren(
    ...Object.entries(counts.active).map(([kind, count]) => pair(kinds[kind] ?? kind, count.toLocaleString())),
    pair("Given up, kept for a while", counts.tombstoned.toLocaleString()),
  );
}

async function refresh() {
  try {
    const response = await fetch("status");
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    show(await response.json());
  } catch (error) {
    const state = document.getElementById("state");
    state.textContent = `The server cannot say: ${error.message}`;
    state.className = "bad";
  }
  setTimeout(refresh, interval);
}

refresh();

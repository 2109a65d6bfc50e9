/** A reader's progress, kept in this browser: told to the server once a session, and added to when the server says so.
 * Where the browser may not store, it is held as long as the page is open. */

/** What outlives a change of page. `taken`: of each session, the number of the last message that was obeyed; `files`: chosen, not
 * yet found good; `arrived`: the session that knows what is stored. */
const here = (globalThis.attentionProgress ??= {
  taken: new Map(), files: new Map(), memory: "", refused: false, arrived: null, focused: null,
});

function key({ schema, version }) {
  return `${schema}-${version}`;
}

function load(data) {
  try {
    if (!here.refused) return localStorage.getItem(key(data)) ?? "";
  } catch {
    here.refused = true;
  }
  return here.memory;
}

function store(data, text) {
  here.memory = text;
  try {
    if (text) localStorage.setItem(key(data), text);
    else localStorage.removeItem(key(data));
  } catch {
    here.refused = true;
  }
}

/** The answers in a text; the server looks at them more closely. */
function answers(text, { schema, version }) {
  try {
    const kept = JSON.parse(text);
    const mine = kept.schema === schema && kept.version === version && Array.isArray(kept.answers);
    return mine ? kept.answers.filter((answer) => typeof answer?.id === "string" && typeof answer.at === "string") : [];
  } catch {
    return [];
  }
}

/** Both together, each answer once: another tab may have added its own since. */
function add(data, text) {
  const all = new Map([...answers(load(data), data), ...answers(text, data)].map((answer) => [answer.id, answer]));
  const order = ({ at, id }) => `${at} ${id}`;
  const sorted = [...all.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(-data.most);
  store(data, JSON.stringify({ schema: data.schema, version: data.version, answers: sorted }));
}

function obey(data) {
  for (const { n, add: fresh, take } of data.told) {
    if (n <= (here.taken.get(data.token) ?? 0)) continue;
    here.taken.set(data.token, n);
    const text = fresh ?? here.files.get(take);
    if (text) add(data, text);
    here.files.delete(take);
  }
}

/** The time on the clock here, as it would be written. */
function now() {
  const time = new Date();
  return new Date(time - time.getTimezoneOffset() * 60000).toISOString().slice(0, -1);
}

function arrive(data, send) {
  if (here.arrived === data.token && here.refused === here.said) return;
  here.arrived = data.token;
  const text = load(data);
  try {
    localStorage.setItem(`${key(data)}-try`, "");
    localStorage.removeItem(`${key(data)}-try`);
  } catch {
    here.refused = true;
  }
  send("arrived", { text: text.length > data.most_characters ? "too large" : text, now: now(), refused: here.refused });
  here.said = here.refused;
}

/** The first field of a new question has the focus. It may be drawn, or drawn again, a little later than we are. */
function focus(where, tries = 20) {
  if (here.focused !== where || !tries) return;
  const inside = document.querySelector(`.st-key-${where}`);
  const hosts = [...(inside?.querySelectorAll("*") ?? [])].filter((node) => node.shadowRoot);
  const field = inside?.querySelector("input:enabled") ?? hosts[0]?.shadowRoot.querySelector("input, button:enabled");
  const free = document.activeElement === document.body || !document.activeElement.isConnected;
  if (field && (free || tries > 18)) field.focus();
  setTimeout(focus, 60, where, tries - 1);
}

/** Streamlit calls this again at every rerun, with the same parentElement. */
export default function ({ data, parentElement, setTriggerValue }) {
  if (data.known) obey(data);
  arrive(data, setTriggerValue);
  if (data.focus !== here.focused) {
    const opened = here.focused === null; // a page just opened by a link is left as it is
    here.focused = data.focus;
    if (data.focus && !opened) focus(data.focus);
  }
  const shows = JSON.stringify(data.desk);
  if (parentElement.shows !== shows) {
    parentElement.querySelector(".desk")?.remove();
    if (data.desk) parentElement.append(desk(parentElement, data.desk));
  }
  Object.assign(parentElement, { shows, data, send: setTriggerValue });
}

function desk(parent, words) {
  const button = (text, act) => {
    const node = document.createElement("button");
    Object.assign(node, { type: "button", textContent: text, onclick: () => act(node) });
    return node;
  };
  const chooser = document.createElement("input");
  Object.assign(chooser, { type: "file", accept: ".json,application/json", hidden: true, ariaLabel: words.import });
  chooser.onchange = async () => {
    const [file] = chooser.files;
    chooser.value = "";
    if (!file) return;
    const name = String(here.files.size + performance.now());
    const text = file.size > parent.data.most_characters * 4 ? null : await file.text().catch(() => "");
    if (text !== null) here.files.set(name, text);
    parent.send("chosen", { file: name, text: text !== null && text.length > parent.data.most_characters ? null : text });
  };
  const root = document.createElement("div");
  root.className = "desk";
  root.append(button(words.export, () => save(parent.data)), button(words.import, () => chooser.click()), chooser,
    button(words.erase, (node) => erase(node, parent, words)));
  return root;
}

function save(data) {
  const text = load(data) || JSON.stringify({ schema: data.schema, version: data.version, answers: [] });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${data.schema}.json`;
  link.click();
  setTimeout(URL.revokeObjectURL, 1000, link.href);
}

/** At the second click; the first only asks. */
function erase(node, parent, words) {
  if (node.className !== "sure") {
    node.className = "sure";
    node.textContent = words.sure;
    node.timer = setTimeout(unask, 8000, node, words);
    return;
  }
  clearTimeout(node.timer);
  unask(node, words);
  here.files.clear();
  store(parent.data, "");
  parent.send("erased", { now: now() });
}

function unask(node, words) {
  node.className = "";
  node.textContent = words.erase;
}

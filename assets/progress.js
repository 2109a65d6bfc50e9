/** A reader's progress, kept in this browser: told to the server once a session, and added to when the server says so.
 * Where the browser may not store, it is held as long as the page is open. */

/** @import { Component, Desk, Kept, Progress, Send } from "./types.d.ts" */
import { clock, together, written } from "./answers.js";
import { el } from "./el.js";

/** What outlives a change of page. `taken`: of each session, the number of the last message that was obeyed; `files`:
 * chosen, not yet found good; `arrived`: the session that knows what is stored, and `said`: that nothing may be
 * stored.
 * @typedef {{ taken: Map<string, number>, files: Map<string, string>, memory: string, refused: boolean, arrived:
 *   string | null, said: boolean, focused: string | null }} Here */
const page = /** @type {{ attentionProgress?: Here }} */ (globalThis);
const here = page.attentionProgress ??= {
  taken: new Map(),
  files: new Map(),
  memory: "",
  refused: false,
  arrived: null,
  said: false,
  focused: null,
};

/** @param {Kept} kept */
const key = ({ schema, version }) => `${schema}-${version}`;

/** @param {Kept} kept */
function load(kept) {
  try {
    if (!here.refused) return localStorage.getItem(key(kept)) ?? "";
  } catch {
    here.refused = true;
  }
  return here.memory;
}

/** @param {Kept} kept @param {string} text */
function store(kept, text) {
  here.memory = text;
  try {
    if (text) localStorage.setItem(key(kept), text);
    else localStorage.removeItem(key(kept));
  } catch {
    here.refused = true;
  }
}

/** @param {Progress} data */
function obey(data) {
  for (const { n, add, take } of data.told) {
    if (n <= (here.taken.get(data.token) ?? 0)) continue;
    here.taken.set(data.token, n);
    const text = add ?? here.files.get(take ?? "");
    if (text) store(data, together(load(data), text, data)); // another tab may have added its own since
    here.files.delete(take ?? "");
  }
}

/** @param {Progress} data @param {Send} send */
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
  const told = text.length > data.most_characters ? "too large" : text;
  send("arrived", { text: told, now: clock(new Date()), refused: here.refused });
  here.said = here.refused;
}

/** The first field of a new question has the focus. It may be drawn, or drawn again, a little later than we are.
 * @param {string} where @param {number} [tries] */
function focus(where, tries = 20) {
  if (here.focused !== where || !tries) return;
  const inside = document.querySelector(`.st-key-${where}`);
  const host = [...(inside?.querySelectorAll("*") ?? [])].find((node) => node.shadowRoot);
  /** @type {HTMLElement | null | undefined} */
  const field = inside?.querySelector("input:enabled") ?? host?.shadowRoot?.querySelector("input, button:enabled");
  const { activeElement } = document, free = activeElement === document.body || !activeElement?.isConnected;
  if (field && (free || tries > 18)) field.focus();
  setTimeout(focus, 60, where, tries - 1);
}

/** @typedef {{ shows: string, data: Progress, send: Send }} Own */

/** Streamlit calls this again at every rerun, with the same parentElement.
 * @param {Component<Progress, { progress: Own }>} component */
export default function ({ data, parentElement, setTriggerValue: send }) {
  if (data.known) obey(data);
  arrive(data, send);
  if (data.focus !== here.focused) {
    const opened = here.focused === null; // a page just opened by a link is left as it is
    here.focused = data.focus;
    if (data.focus && !opened) focus(data.focus);
  }
  const shows = JSON.stringify(data.desk);
  const own = parentElement.progress ??= { shows: "null", data, send };
  const changed = own.shows !== shows;
  Object.assign(own, { shows, data, send });
  if (!changed) return;
  parentElement.querySelector(".desk")?.remove();
  if (data.desk) parentElement.append(desk(own, data.desk));
}

/** @param {Own} own @param {Desk} words */
function desk(own, words) {
  const button = (/** @type {string} */ text, /** @type {() => void} */ act) => {
    const node = el("button", { type: "button" }, text);
    node.onclick = act;
    return node;
  };
  const chooser = el("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: "",
    "aria-label": words.import,
  });
  chooser.onchange = () => {
    const [file] = chooser.files ?? [];
    chooser.value = "";
    if (file) choose(file, own);
  };
  const eraser = button(words.erase, () => erase(eraser, own, words));
  return el(
    "div",
    { class: "desk" },
    button(words.export, () => save(own.data)),
    button(words.import, () => chooser.click()),
    chooser,
    eraser,
  );
}

/** @param {File} file @param {Own} own */
async function choose(file, own) {
  const name = String(here.files.size + performance.now());
  const text = file.size > own.data.most_characters * 4 ? null : await file.text().catch(() => "");
  if (text !== null) here.files.set(name, text);
  own.send("chosen", { file: name, text: text !== null && text.length > own.data.most_characters ? null : text });
}

/** @param {Kept} kept */
function save(kept) {
  const text = load(kept) || written([], kept);
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  el("a", { href, download: `${kept.schema}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

let asked = 0; // the timer that takes the question back

/** At the second click; the first only asks. @param {HTMLButtonElement} node @param {Own} own @param {Desk} words */
function erase(node, own, words) {
  if (node.className !== "sure") {
    node.className = "sure";
    node.textContent = words.sure;
    asked = setTimeout(unask, 8000, node, words);
    return;
  }
  clearTimeout(asked);
  unask(node, words);
  here.files.clear();
  store(own.data, "");
  own.send("erased", { now: clock(new Date()) });
}

/** @param {HTMLButtonElement} node @param {Desk} words */
function unask(node, words) {
  node.className = "";
  node.textContent = words.erase;
}

/** What of a message stays through all its steps: names, ledger, strip, legend, the lists to choose from. */

/** @import { Message, Mode, Parts, Word } from "./types.d.ts" */
import { el, renew } from "./el.js";

/** @param {HTMLElement} root @param {Parts} parts @param {Message} data */
export function label(root, parts, data) {
  const { words, steps } = data;
  root.lang = data.lang;
  root.classList.toggle("no-table", !steps.some(({ table }) => table));
  parts.svg.setAttribute("viewBox", `0 0 ${data.width} ${data.height}`);
  root.classList.toggle("stage", data.stage);
  for (const node of all(root, "[data-label]")) node.ariaLabel = words[/** @type {Word} */ (node.dataset.label)];
  for (const node of all(root, ".sign")) node.title = node.ariaLabel ?? "";
  root.ariaLabel = parts.toolbar.ariaLabel = parts.title.textContent = data.title;
  parts.question.textContent = data.question;
  const onward = data.onward ? [words.next_lesson, " ", el("a", { href: data.onward.href }, data.onward.title)] : [];
  parts.onward.replaceChildren(...onward);
  /** @type {Element} */ (parts.offer.querySelector("b")).textContent = data.onward?.title ?? "";
  const ledger = data.ledger.map(({ name, effect, on }) => ({ name, effect, kind: on ? "chip on" : "chip" }));
  if (data.source) ledger.push({ name: data.source, effect: "", kind: "source" });
  renew(
    parts.ledger,
    ledger,
    ({ name, effect, kind }) => el("li", { class: kind }, name, " ", effect ? el("b", {}, effect) : ""),
  );
  renew(parts.strip, steps.map(({ title, parts }) => ({ title, parts: parts && words.parts })), stripItem);
  renew(parts.legend, data.legend, ({ text }) => el("li", {}, el("span", { "aria-hidden": "true" }), text));
  data.legend.forEach(({ svg }, i) => (parts.legend.children[i].children[0].innerHTML = svg));
  renew(parts.keyList, words.key_list, ([key, meaning]) => el("div", {}, el("dt", {}, key), el("dd", {}, meaning)));
  choose(parts.choices, data);
}

/** @param {{ title: string, parts?: string }} step @param {number} i */
function stripItem({ title, parts }, i) {
  const text = `${i + 1} ${title}`;
  const item = el("button", { type: "button", "data-text": text }, text);
  if (parts) item.append(el("span", { class: "parts", "aria-hidden": "true" }, "✗"));
  if (parts) item.ariaLabel = item.title = `${text}, ${parts}`;
  return el("li", {}, item);
}

/** @param {HTMLElement} box @param {Message} data */
function choose(box, { choices }) {
  renew(box, choices.map(({ name }) => name), (name) => el("label", {}, el("span"), el("select", { name })));
  choices.forEach(({ label, value, options }, i) => {
    const [text, select] =
      /** @type {[HTMLElement, HTMLSelectElement]} */ (/** @type {unknown} */ (box.children[i].children));
    select.ariaLabel = label.long;
    text.textContent = label.short;
    renew(select, options, (option) => new Option(option.label, option.value));
    select.value = value;
  });
}

/** What each button is called now. @param {HTMLElement} root @param {Parts} parts @param {Message} data
 * @param {{ playing: boolean, mode: Mode }} now */
export function word(root, parts, { words }, { playing, mode }) {
  root.classList.toggle("playing", playing);
  parts.playButton.dataset.word = playing ? "pause" : "play";
  parts.enlargeButton.dataset.word = mode === "enlarged" ? "close" : "enlarge";
  parts.presentButton.dataset.word = mode === "presenting" ? "leave" : "present";
  parts.textButton.dataset.word = root.dataset.words === "all" ? "larger" : "all";
  for (const node of all(root, "[data-word]")) node.textContent = words[/** @type {Word} */ (node.dataset.word)];
}

/** @param {HTMLElement} root @param {string} selector @returns {NodeListOf<HTMLElement>} */
const all = (root, selector) => root.querySelectorAll(selector);

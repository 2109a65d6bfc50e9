/** Paragraphs with glossary terms: a click or Enter on a term opens its line in a popover, beside which CSS places it;
 * a link to a place among the paragraphs leads there. */

/** @import { Component, Reader } from "./types.d.ts" */
import { el } from "./el.js";
import { arrivedWith, define, follow, opensHere } from "./links.js";
import { followTheme } from "./theme.js";

/** @typedef {{ root: HTMLElement, text: HTMLElement, note: HTMLElement, shown: string }} Own */

/** @param {Component<Reader, { reader: Own }>} component */
export default function ({ data, parentElement }) {
  const own = parentElement.reader ??= open(parentElement), { root, text, note, shown } = own;
  root.lang = data.lang;
  if (shown !== data.html) {
    const fill = () => {
      text.innerHTML = own.shown = data.html;
      if (!shown) arrive(root, location.hash || arrivedWith(location.pathname));
    };
    // The first time after the player's first picture: a page of formulas must not delay it.
    shown ? fill() : requestAnimationFrame(() => setTimeout(fill));
  }
  followTheme(root);
  root.onclick = (event) => {
    const target = /** @type {Element} */ (event.target);
    /** @type {HTMLElement | null} */ const term = target.closest(".term[data-term]");
    const link = target.closest("a");
    if (term) define(note, term, data.glossary);
    else if (link?.hash && link.hash === location.hash) visit(root, link.hash); // any other is heard of
    else if (link?.matches(".page") && opensHere(event) && follow(link)) event.preventDefault();
  };
}

/** @param {ShadowRoot} parent @returns {Own} */
function open(parent) {
  const text = el("div", { class: "text" }), note = el("div", { class: "note", popover: "", tabindex: "-1" });
  const root = el("article", { class: "player reader" }, text, note);
  parent.append(root);
  const moved = () => (root.isConnected ? visit(root, location.hash) : removeEventListener("hashchange", moved));
  addEventListener("hashchange", moved);
  return { root, text, note, shown: "" };
}

/** In a shadow root the browser does not find the place itself. @param {HTMLElement} root @param {string} hash
 * @returns {HTMLElement | null} */
const placeOf = (root, hash) => (hash ? root.querySelector(`#${CSS.escape(hash.slice(1))}`) : null);

/** @param {HTMLElement} root @param {string} hash */
function visit(root, hash) {
  const place = placeOf(root, hash);
  place?.focus({ preventScroll: true });
  place?.scrollIntoView({ block: "start" });
}

/** As soon as the page no longer moves: what stands above may still be growing.
 * @param {HTMLElement} root @param {string} hash @param {number} [top] @param {number} [tries] */
function arrive(root, hash, top, tries = 25) {
  const now = placeOf(root, hash)?.getBoundingClientRect().top;
  if (now === top) visit(root, hash);
  else if (tries && now !== undefined) setTimeout(arrive, 120, root, hash, now, tries - 1);
}

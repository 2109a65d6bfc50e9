/** Copies a link to this page with another query string. */

/** @import { Component, CopyLink } from "./types.d.ts" */
import { el } from "./el.js";

/** @typedef {{ button: HTMLButtonElement, data: CopyLink, timer?: number }} Own */

/** @param {Component<CopyLink, { link: Own }>} component */
export default function ({ data, parentElement }) {
  if (!parentElement.link) {
    const button = el("button", { type: "button", class: "link", "aria-live": "polite" });
    const own = parentElement.link = { button, data };
    button.onclick = () => copy(own);
    parentElement.append(button);
  }
  const own = parentElement.link;
  own.data = data;
  clearTimeout(own.timer);
  own.button.textContent = data.copy;
}

/** @param {Own} own */
async function copy(own) {
  const { button, data: { query, copied, refused, copy: name } } = own;
  try {
    await navigator.clipboard.writeText(addressWith(location, query));
    button.textContent = copied;
  } catch {
    button.textContent = refused; // only pages that were fetched safely may copy
  }
  own.timer = setTimeout(() => (button.textContent = name), 4000);
}

/** @param {{ origin: string, pathname: string }} page @param {string} query */
export const addressWith = ({ origin, pathname }, query) => `${origin}${pathname}?${query}`;

/** The player in the top layer, above whatever the page puts around it. */

import { el } from "./el.js";

/** Returns what puts it back; `filling`: another player will cover the page at once, on the whole screen as before.
 * @param {HTMLElement} root @param {ShadowRoot} shadow @returns {(filling?: boolean) => void} */
export function raise(root, shadow) {
  const placeholder = el("div", { style: `height: ${root.getBoundingClientRect().height}px` });
  /** @type {[Element, number][]} */ const scrolled = [];
  /** @type {HTMLElement[]} */ const covered = [];
  for (let at = /** @type {any} */ (root); at; at = at.parentNode ?? at.host) {
    scrolled.push([at, at.scrollTop]);
    for (const node of at.parentNode?.children ?? []) if (node !== at && !node.inert) covered.push(node);
  }
  const scrollBack = () => scrolled.forEach(([box, top]) => (box.scrollTop = top));
  for (const node of covered) node.inert = true; // the focus stays in the player
  root.before(placeholder);
  root.popover = "manual";
  root.showPopover();
  return (filling = false) => {
    root.popover = null;
    placeholder.remove();
    for (const node of covered) node.inert = false;
    scrollBack();
    if (filling) return;
    /** @type {HTMLElement} */ (shadow.activeElement ?? root).focus({ preventScroll: true });
    if (document.fullscreenElement) document.exitFullscreen().then(scrollBack, () => {});
  };
}

/** Where a box is cut off by its scrolling: [data-cut] says at which ends, and a fade shows it. */

/** @param {HTMLElement[]} boxes */
export function watchEdges(boxes) {
  for (const box of boxes) box.addEventListener("scroll", () => markEdges([box]), { passive: true });
}

/** @param {HTMLElement[]} boxes */
export function markEdges(boxes) {
  for (const box of boxes) {
    const across = cutEnds(box.scrollLeft, box.clientWidth, box.scrollWidth, ["left", "right"]);
    const down = cutEnds(box.scrollTop, box.clientHeight, box.scrollHeight, ["top", "bottom"]);
    const cut = [...across, ...down].join(" ");
    if (box.dataset.cut !== cut) box.dataset.cut = cut;
  }
}

/** Which ends of what is `all` px long are out of sight, to a px.
 * @param {number} scrolled @param {number} seen @param {number} all @param {[string, string]} ends */
export const cutEnds = (scrolled, seen, all, [first, last]) => [
  ...(scrolled > 1 ? [first] : []),
  ...(all - seen - scrolled > 1 ? [last] : []),
];

/** Light or dark, as the page is: the system's preference may differ. */

/** @param {HTMLElement} root */
export function followTheme(root) {
  root.style.backgroundColor = "var(--st-background-color, #fff)";
  root.dataset.theme = isLight(getComputedStyle(root).backgroundColor) ? "light" : "dark";
}

/** @param {string} colour as browsers compute it: rgb(…) */
export function isLight(colour) {
  const [r, g, b] = colour.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
  return 0.299 * r + 0.587 * g + 0.114 * b > 128;
}

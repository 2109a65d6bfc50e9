/** How tall words and tables are at some widths, read from the page itself in one go. */

/** @import { Tall } from "./arrange.js" */
import { el } from "./el.js";

/** @param {HTMLElement} say the box in which they stand @param {number} type px
 * @param {{ words: number, table: number }[]} widths
 * @param {{ texts: string[], tables: string[] }} html of every step
 * @returns {Tall[]} for each of the widths */
export function measure(say, type, widths, { texts, tables }) {
  const probe = el("div", { class: "probe", style: `font-size: ${type}px` });
  const [words, table] = [parts("narration", texts), parts("table", tables)];
  for (const width of widths) probe.append(set(words, width.words), set(table, width.table));
  say.append(probe);
  const tall = widths.map((_, i) => ({
    words: most(probe.children[2 * i], heightOf),
    whole: most(probe.children[2 * i + 1], heightOf),
    least: most(probe.children[2 * i + 1], leastOf),
    cut: probe.children[2 * i + 1].scrollWidth > Math.ceil(widths[i].table),
  }));
  probe.remove();
  return tall;
}

/** @param {string} kind @param {string[]} html */
function parts(kind, html) {
  const box = el("div", { class: kind });
  box.innerHTML = html.map((one) => `<div>${one}</div>`).join("");
  return box;
}

/** @param {HTMLElement} box @param {number} width */
function set(box, width) {
  const copy = /** @type {HTMLElement} */ (box.cloneNode(true));
  copy.style.width = `${width}px`;
  return copy;
}

/** @param {Element} box @param {(part: Element) => number} height */
const most = (box, height) => Math.ceil(Math.max(0, ...[...box.children].map(height)));

const heightOf = (/** @type {Element} */ part) => part.getBoundingClientRect().height;

/** The head of a table and two rows. @param {Element} part */
function leastOf(part) {
  const rows = part.querySelectorAll("tr"), last = rows[Math.min(2, rows.length - 1)];
  return last ? last.getBoundingClientRect().bottom - part.getBoundingClientRect().top : 0;
}

/** What is in sight: room for the tallest step, type for the back row, scrolling to what matters. Presenting, the
 * sentence gives way until the figure's smallest letters can be read from the back row. */

/** @import { Player } from "./player.js" */
import { el } from "./el.js";
import { attempts, letters, readable, scrollTo, SMALLEST } from "./sight.js";

const SAY_SHARE = 0.3; // of the screen's height at most for sentence and numbers
const NARROW = 720; // px; there the player scrolls as a whole

export class Fit {
  arriving = false;
  /** The presenter's choice: the whole text, or a larger figure. @type {boolean | undefined} */ full;
  /** @type {number | undefined} */ timer;

  /** @param {Player} player */
  constructor(player) {
    this.player = player;
  }

  /** Room for the tallest step, so that nothing moves below it; when presenting, in the largest type that fits.
   * @param {number} ms */
  later(ms) {
    clearTimeout(this.timer);
    this.player.root.dataset.moving = "";
    this.timer = setTimeout(() => this.now(), ms);
  }

  now() {
    const { root, spots, mode, parts: { say, svg }, data } = this.player;
    if (root.matches(":active")) return this.later(80); // a button that moves while it is pressed takes no click
    delete root.dataset.moving;
    spots.place();
    if (mode === "enlarged") return;
    this.lean("whole", 0);
    if (this.arriving) this.keepInSight();
    this.arriving = false;
    if (!mode || innerWidth <= NARROW) return;
    const { full } = this;
    attempts(full).some(({ lean, size }) => {
      this.lean(lean, size);
      const legible = full || letters(svg.getBoundingClientRect(), data) >= readable(innerHeight);
      return legible && say.offsetHeight <= innerHeight * SAY_SHARE;
    });
    this.bringIntoView();
  }

  /** The presenter's choice from here on. */
  choose() {
    this.full = this.player.root.dataset.lean !== "whole";
    this.now();
  }

  /** @param {string} lean @param {number} size */
  lean(lean, size) {
    const { data, root, mode, predict, parts: { svg, words, narration, table, textButton } } = this.player;
    const { steps, onward, width, height } = data, zoom = readable(innerHeight) / SMALLEST;
    Object.assign(root.dataset, { lean, size });
    const word = textButton.dataset.word = lean === "whole" ? "larger" : "whole";
    textButton.textContent = data.words[word];
    svg.style.setProperty("--wide", `${width * zoom}px`);
    svg.style.setProperty("--high", `${height * zoom}px`);
    const texts = [...steps.map(({ html }) => html), ...predict.tallest()];
    if (onward && !mode) texts.push(`${steps[steps.length - 1].html}<p>&nbsp;</p>`);
    words.style.minHeight = tallest(narration, texts);
    table.style.minHeight = tallest(table, steps.map((step) => step.table));
  }

  /** Where the figure is larger than its box: scroll to the cells that may be picked, or to what has changed, if it is
   * out of sight. */
  bringIntoView() {
    const { mode, spots, parts: { figure } } = this.player;
    const larger = figure.scrollWidth > figure.clientWidth || figure.scrollHeight > figure.clientHeight;
    const all = (/** @type {string} */ selector) => [...figure.querySelectorAll(selector)];
    const wrong = mode ? all(".role-wrong") : []; // on a wall it is what the hall is to look at
    const parts = [spots.cells(), wrong, all(".role-wrong, .role-new"), all(".role-now")];
    const looked = parts.find(({ length }) => length);
    if (!larger || !looked) return;
    const { left, top } = scrollTo(figure.getBoundingClientRect(), looked.map((node) => node.getBoundingClientRect()));
    if (left) figure.scrollLeft += left;
    if (top) figure.scrollTop += top;
  }

  /** What has just been said must not lie under the buttons or below the window: the player moves up, first to its own
   * top. */
  keepInSight() {
    requestAnimationFrame(() => {
      const { mode, parts: { card, narration, stepping, toolbar } } = this.player;
      const bar = toolbar.getClientRects().length ? toolbar : stepping; // on a phone only these stay in sight
      const hidden = () =>
        narration.getBoundingClientRect().bottom > Math.min(bar.getBoundingClientRect().top, innerHeight);
      if (mode || !hidden()) return;
      if (card.getBoundingClientRect().top > 0) card.scrollIntoView({ block: "start" });
      if (hidden()) narration.scrollIntoView({ block: "nearest" });
    });
  }
}

/** The height of a box that holds any of these texts. @param {HTMLElement} box @param {string[]} texts */
function tallest(box, texts) {
  const probe = el("div", { class: `${box.className} probe`, style: `width: ${box.clientWidth}px` });
  probe.innerHTML = texts.map((html) => `<div>${html}</div>`).join("");
  box.after(probe);
  const height = Math.max(...[...probe.children].map((child) => child.getBoundingClientRect().height));
  probe.remove();
  return `${Math.ceil(height)}px`;
}

/** What is in sight: room for the tallest step, type for the back row, scrolling to what matters. Goes before player.js in the same module. */

// Presenting: the sentence gives way until the figure's smallest letters can be read from the back row.
const LEAN = ["whole", "sentence", "figure", "scrolled"]; // [data-lean] in player.css: what is left out, step by step
const SIZES = 5; // [data-size] in player.css; 0 is the largest type
const SAY_SHARE = 0.3; // of the screen's height at most for sentence and numbers
const SMALLEST = 13; // units of a figure's smallest letters, in figure.css
const readable = () => Math.max(14, innerHeight * 16 / 1080); // px
const NARROW = 720; // px; there the player scrolls as a whole

class Fit {
  constructor(player) {
    this.player = player;
  }

  /** Room for the tallest step, so that nothing moves below it; when presenting, in the largest type that fits. */
  later(ms) {
    clearTimeout(this.timer);
    this.player.root.dataset.moving = "";
    this.timer = setTimeout(() => this.now(), ms);
  }

  now() {
    const { root, predict, mode, say } = this.player;
    if (root.matches(":active")) return this.later(80); // a button that moves while it is pressed takes no click
    delete root.dataset.moving;
    predict.place();
    if (mode === "enlarged") return;
    this.lean("whole", 0);
    if (this.arriving) this.keepInSight();
    this.arriving = false;
    if (!mode || innerWidth <= NARROW) return;
    const { full } = this; // undefined until the presenter has chosen
    for (const lean of LEAN.slice(full === false ? 1 : 0, full ? 1 : 3))
      for (let size = 0; size < SIZES; size++) {
        this.lean(lean, size);
        if ((full || this.letters() >= readable()) && say.offsetHeight <= innerHeight * SAY_SHARE) return this.bringIntoView();
      }
    if (!full) this.lean("scrolled", SIZES - 1);
    this.bringIntoView();
  }

  /** The whole text, or a larger figure: the presenter's choice from here on. */
  choose() {
    this.full = this.player.root.dataset.lean !== "whole";
    this.now();
  }

  lean(lean, size) {
    const { data, root, mode, svg, words, narration, table, textButton, predict } = this.player;
    const { steps, onward, width, height } = data, zoom = readable() / SMALLEST;
    Object.assign(root.dataset, { lean, size });
    textButton.textContent = data.words[textButton.dataset.word = lean === "whole" ? "larger" : "whole"];
    for (const [name, length] of [["--wide", width], ["--high", height]]) svg.style.setProperty(name, `${length * zoom}px`);
    const texts = [...steps.map(({ html }) => html), ...predict.tallest()];
    if (onward && !mode) texts.push(`${steps.at(-1).html}<p>&nbsp;</p>`);
    words.style.minHeight = this.tallest(narration, texts);
    table.style.minHeight = this.tallest(table, steps.map((step) => step.table));
  }

  /** Pixels of the figure's smallest letters. */
  letters() {
    const { svg, data } = this.player, { width, height } = svg.getBoundingClientRect();
    return SMALLEST * Math.min(width / data.width, height / data.height);
  }

  tallest(box, texts) {
    const probe = el("div", { class: `${box.className} probe`, style: `width: ${box.clientWidth}px` });
    probe.innerHTML = texts.map((html) => `<div>${html}</div>`).join("");
    box.after(probe);
    const height = Math.max(...[...probe.children].map((child) => child.getBoundingClientRect().height));
    probe.remove();
    return `${Math.ceil(height)}px`;
  }

  /** Where the figure is larger than its box: scroll to the cells that may be picked, or to what has changed, if it is out of sight. */
  bringIntoView() {
    const { figure, mode, predict } = this.player;
    const larger = figure.scrollWidth > figure.clientWidth || figure.scrollHeight > figure.clientHeight;
    const all = (selector) => [...figure.querySelectorAll(selector)];
    const wrong = mode ? all(".role-wrong") : []; // on a wall it is what the hall is to look at
    const picked = predict.picking ? predict.cells() : [];
    const looked = [picked, wrong, all(".role-wrong, .role-new"), all(".role-now")].find((found) => found.length);
    if (!larger || !looked) return;
    const box = figure.getBoundingClientRect();
    const around = (nodes) => {
      const boxes = nodes.map((node) => node.getBoundingClientRect());
      const most = (side, pick) => pick(...boxes.map((one) => one[side]));
      return { left: most("left", Math.min), right: most("right", Math.max), top: most("top", Math.min), bottom: most("bottom", Math.max) };
    };
    const fits = ({ left, right, top, bottom }) => right - left <= box.width && bottom - top <= box.height;
    const together = around(looked), { left, right, top, bottom } = fits(together) ? together : around(looked.slice(0, 1));
    if (left < box.left || right > box.right) figure.scrollLeft += (left + right - box.left - box.right) / 2;
    if (top < box.top || bottom > box.bottom) figure.scrollTop += (top + bottom - box.top - box.bottom) / 2;
  }

  /** What has just been said must not lie under the buttons or below the window: the player moves up, first to its own top. */
  keepInSight() {
    requestAnimationFrame(() => {
      const { card, narration, stepping, toolbar, mode } = this.player;
      const bar = toolbar.getClientRects().length ? toolbar : stepping; // on a phone only these stay in sight
      const hidden = () => narration.getBoundingClientRect().bottom > Math.min(bar.getBoundingClientRect().top, innerHeight);
      if (mode || !hidden()) return;
      if (card.getBoundingClientRect().top > 0) card.scrollIntoView({ block: "start" });
      if (hidden()) narration.scrollIntoView({ block: "nearest" });
    });
  }
}

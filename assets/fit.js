/** What is in sight. A lesson's player is a stage: it fills the window below the bar, and picture and words share it in
 * the way that gives the picture the larger letters, the same for all steps. Presenting, it fills the screen in type
 * for the back row, to which the reasons give way. On a phone everything stands in one column. */

/** @import { Level } from "./arrange.js" */
/** @import { Player } from "./player.js" */
import { arrange, WAYS, widths } from "./arrange.js";
import { markEdges } from "./edges.js";
import { measure } from "./measure.js";
import { legible, readable, scrollTo, stageLevels, wallLevels } from "./sight.js";

const NATURAL = { height: 0.8, zoom: 1.25 }; // of the window's height, and of the picture, where the player is no stage
const GAP = 28; // px between words and table
const NARROW = { width: 720, height: 480 }; // px; what is no larger one way shows a column
const COLUMN = 960; // px of a picture at least in a column, where it scrolls sideways

export class Fit {
  arriving = false;
  /** px above the player while nothing is scrolled. */
  top = 0;
  /** The presenter's choice: the whole text, or a larger figure. @type {boolean | undefined} */ full;
  /** @type {number | undefined} */ timer;

  /** @param {Player} player */
  constructor(player) {
    this.player = player;
  }

  /** @param {number} ms */
  later(ms) {
    clearTimeout(this.timer);
    this.player.root.dataset.moving = "";
    this.timer = setTimeout(() => this.now(), ms);
  }

  now() {
    const { root, spots, mode, cut } = this.player;
    if (root.matches(":active")) return this.later(80); // a button that moves while it is pressed takes no click
    clearTimeout(this.timer);
    delete root.dataset.moving;
    if (mode === "enlarged") this.whole();
    else {
      if (!mode) root.style.setProperty("--top", `${this.top = this.above()}px`);
      if (this.narrow) this.column();
      else this.share();
    }
    spots.place();
    markEdges(cut);
    this.bringIntoView();
    if (this.arriving) this.keepInSight();
    this.arriving = false;
  }

  /** The picture alone. */
  whole() {
    const { zoom, data: { width, height }, parts: { figure } } = this.player, edge = edges(figure);
    zoom.fit(Math.min((figure.clientWidth - edge.width) / width, (figure.clientHeight - edge.height) / height));
  }

  /** Again, if something above the player has come or gone. */
  moved() {
    const { mode, data } = this.player;
    if (data.stage && !mode && this.above() !== this.top) this.later(0);
  }

  above() {
    const { root } = this.player, box = scrollerOf(root);
    return Math.round(root.getBoundingClientRect().top + (box?.scrollTop ?? 0));
  }

  get narrow() {
    const { root } = this.player;
    return root.clientWidth <= NARROW.width || innerHeight <= NARROW.height;
  }

  /** The words of all steps, questions and what is said of guesses with them; their tables. */
  html() {
    const { data: { steps, onward }, mode, predict } = this.player;
    const texts = [...steps.map(({ html }) => html), ...predict.tallest()];
    if (onward && !mode) texts.push(`${steps[steps.length - 1].html}<p>&nbsp;</p>`);
    return { texts, tables: steps.map(({ table }) => table) };
  }

  /** What the tallest step needs is measured for each way to share the room, at each level until one will do. */
  share() {
    const { root, mode, data, parts: { body, card, figure, say, under } } = this.player, html = this.html();
    const natural = !data.stage && !mode, window = { width: innerWidth, height: innerHeight };
    if (root.dataset.place === "column") root.dataset.place = WAYS[0].place;
    body.style.height = "";
    const around = card.offsetHeight - body.offsetHeight, { width, height } = edges(figure);
    const stage = {
      room: { width: body.clientWidth, height: natural ? NATURAL.height * innerHeight - around : body.clientHeight },
      units: data,
      frame: { width, height: height + under.offsetHeight },
      most: natural ? NATURAL.zoom : Infinity,
      edge: edges(say),
      gap: GAP,
      tables: html.tables.some(Boolean),
    };
    const measured = (/** @type {Level} */ { type, words, table }) => {
      root.dataset.words = words;
      return measure(say, type, WAYS.map((way) => widths(way, stage, table)), html);
    };
    const chosen = mode
      ? arrange(wallLevels(this.unit(), this.full), stage, readable(innerHeight), measured)
      : arrange(stageLevels(window), stage, legible(window), measured);
    if (natural) body.style.height = `${Math.ceil(chosen.height)}px`;
    this.show(chosen, chosen.zoom);
    this.player.word();
  }

  /** One below the other, picture and words as high as they like. */
  column() {
    const { root, data, parts: { body, figure, say } } = this.player;
    body.style.height = "";
    Object.assign(root.dataset, { place: "column", words: "all", table: "whole" });
    const type = parseFloat(getComputedStyle(say).fontSize), room = say.offsetWidth - edges(say).width;
    const [{ words, whole }] = measure(say, type, [{ words: room, table: room }], this.html());
    const width = Math.max(figure.clientWidth - edges(figure).width, Math.min(COLUMN, data.width));
    this.show({ place: "column", words: "all", table: "whole", tall: words, say: whole }, width / data.width);
  }

  /** @param {{ place: string, words: string, table: string, type?: number, share?: number, tall: number, say: number
   * }} chosen
   * @param {number} zoom */
  show({ place, words, table, type, share, tall, say }, zoom) {
    const { root, parts, zoom: closer } = this.player;
    Object.assign(root.dataset, { place, words, table });
    const lengths = {
      type: type ? `${type}px` : "",
      share: `${100 * (share ?? 1)}%`,
      tall: `${tall}px`,
      say: `${say}px`,
    };
    for (const [name, length] of Object.entries(lengths)) parts.say.style.setProperty(`--${name}`, length);
    closer.fit(zoom);
  }

  /** px: about a hundredth of the screen's height, as in present.css. */
  unit() {
    return Math.max(4.4, Math.min(innerHeight / 100, innerWidth * 0.5625 / 100));
  }

  /** The presenter's choice from here on. */
  choose() {
    this.full = this.player.root.dataset.words !== "all";
    this.now();
  }

  /** Where the figure is larger than its box: scroll to the cells that may be picked, or to what has changed, if it is
   * out of sight. */
  bringIntoView() {
    const { mode, spots, zoom, parts: { figure } } = this.player;
    if (!zoom.larger) return;
    const all = (/** @type {string} */ selector) => [...figure.querySelectorAll(selector)];
    const wrong = mode ? all(".role-wrong") : []; // on a wall it is what the hall is to look at
    const parts = [spots.cells(), wrong, all(".role-wrong, .role-new"), all(".role-now")];
    const looked = parts.find(({ length }) => length);
    if (!looked) return;
    const { left, top } = scrollTo(figure.getBoundingClientRect(), looked.map((node) => node.getBoundingClientRect()));
    if (left) figure.scrollLeft += left;
    if (top) figure.scrollTop += top;
  }

  /** What has just been said must not lie under the buttons or outside the window: the page moves to the player, and
   * in a column on to the words. */
  keepInSight() {
    requestAnimationFrame(() => {
      const { data, mode, root, parts: { card, narration, stepping, toolbar } } = this.player;
      const column = root.dataset.place === "column", bar = column ? stepping : toolbar;
      const hidden = () => {
        const { top, bottom } = narration.getBoundingClientRect();
        return (!column && top < 0) || bottom > Math.min(bar.getBoundingClientRect().top, innerHeight) + 1;
      };
      if (mode || !hidden()) return;
      if (!column) return root.scrollIntoView({ block: data.stage ? "start" : "nearest" });
      if (card.getBoundingClientRect().top > 0) card.scrollIntoView({ block: "start" });
      if (hidden()) narration.scrollIntoView({ block: "nearest" });
    });
  }
}

/** What is not room for a box's content. @param {HTMLElement} box */
function edges(box) {
  const style = getComputedStyle(box), { borderLeftWidth, borderRightWidth, borderTopWidth, borderBottomWidth } = style;
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = style;
  const sum = (/** @type {string[]} */ ...lengths) => lengths.reduce((all, length) => all + parseFloat(length), 0);
  return {
    width: sum(paddingLeft, paddingRight, borderLeftWidth, borderRightWidth),
    height: sum(paddingTop, paddingBottom, borderTopWidth, borderBottomWidth),
  };
}

/** What scrolls the page around a node. @param {Node} node @returns {Element | null} */
export function scrollerOf(node) {
  for (let at = /** @type {any} */ (node).parentNode; at; at = at.parentNode ?? at.host) {
    if (at instanceof Element && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return null;
}

/** Predict, then reveal. A marked step asks before it shows itself: the counter has moved on, the picture has not. */

/** @import { Ask, Guess, Message } from "./types.d.ts" */
/** @import { Player } from "./player.js" */
import { el } from "./el.js";
import { judged } from "./guess.js";
import { keepInMind, recall } from "./memory.js";
import { readings } from "./numbers.js";
import { nameOf } from "./spots.js";

export class Predict {
  on = recall("predict") !== "off";
  open = false; // a question stands where the step's own words will stand
  hall = false; // it is put to a hall: nobody types
  /** By step. @type {Map<number, Guess>} */ guesses = new Map();

  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    player.root.addEventListener("submit", (event) => {
      event.preventDefault();
      this.answer();
    });
  }

  get ask() {
    return this.player.data.steps[this.player.index].ask;
  }
  get active() {
    return this.on && !this.player.mode;
  }
  get guess() {
    return this.active && this.ask ? this.guesses.get(this.player.index) : undefined;
  }

  /** New steps ask anew. */
  renew() {
    this.open = false;
    this.guesses.clear();
    this.mark();
  }

  /** The toggle, and the question marks in the strip. */
  mark() {
    const { root, data: { steps, words }, parts: { predictButton, strip } } = this.player;
    predictButton.hidden = !steps.some(({ ask }) => ask);
    predictButton.ariaPressed = String(this.on);
    root.classList.toggle("predicting", this.on);
    steps.forEach(({ ask, title, parts }, i) => {
      const item = strip.children[i].children[0];
      item.classList.toggle("asks", Boolean(ask && this.on));
      const marks = [parts && words.parts, ask && this.on && words.asks];
      if (ask || parts) item.ariaLabel = [`${i + 1} ${title}`, ...marks].filter(Boolean).join(", ");
    });
  }

  toggle() {
    this.on = !this.on;
    keepInMind("predict", this.on ? "on" : "off");
    this.open = false;
    this.mark();
    this.player.show();
    this.player.fit.later(0);
  }

  /** Whether the step that is now gone to asks first. @param {boolean} forward */
  enter(forward) {
    this.hall = false;
    this.open = Boolean(forward && this.active && this.ask && !this.guesses.has(this.player.index));
  }

  /** What stands in the narration: the question, or what came of it and then the step's own words.
   * @param {string} html */
  words(html) {
    const { ask, guess, player: { data: { words } } } = this;
    if (ask && this.open) return [this.hall ? forTheHall(ask) : question(ask, this.player.data)];
    const own = document.createRange().createContextualFragment(html);
    return ask && guess?.said !== undefined ? [verdict(ask, guess, words), own] : [own];
  }

  get field() {
    return this.player.parts.narration.querySelector("input");
  }

  /** The number in the field, or a complaint that leaves it there. */
  answer() {
    const { field, player: { data, parts: { narration } } } = this;
    if (!field) return;
    const value = readings(field.value);
    if (value.length) return this.commit({ said: field.value.trim(), value });
    /** @type {Element} */ (narration.querySelector("#complaint")).textContent = data.words.nonsense;
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }

  /** @param {Guess} guess */
  commit(guess) {
    this.guesses.set(this.player.index, guess);
    this.reveal();
    this.player.root.focus({ preventScroll: true });
  }

  reveal() {
    const { player } = this;
    this.open = this.hall = false;
    player.show();
    player.fit.keepInSight();
    if (player.waits) player.playOn(player.index < player.last);
    player.waits = false;
  }

  /** Takes a click: an option, "show it", or a cell. @param {Element} target */
  clicked(target) {
    if (!this.open) return;
    /** @type {HTMLElement | null} */ const button = target.closest("[data-guess]");
    if (button) {
      const { textContent, dataset: { guess } } = button;
      return this.commit(guess ? { said: textContent ?? "", value: Number(guess) } : {});
    }
    /** @type {SVGElement | null} */ const picked = target.closest("#svg > g, .spot");
    const cell = this.player.spots.cells().find(({ dataset: { key } }) => key === picked?.dataset.key);
    if (cell?.dataset.key) this.commit({ said: nameOf(cell), value: cell.dataset.key });
  }

  /** Takes a key: figures go to the field or choose an option; Tab goes to the first answer.
   * @param {KeyboardEvent} event @param {Element} from */
  pressed(event, from) {
    if (!this.open) return false;
    const { key, shiftKey } = event, { field, player: { root, parts: { figure, narration, nextButton } } } = this;
    if (key === "Escape" && from === field) return root.focus(), true;
    if (from.closest?.("input, select")) return false;
    if (field && /^[\d.,\-−]$/.test(key)) return field.focus(), true; // which then receives it
    /** @type {HTMLElement | null} */ const option = /^[1-9]$/.test(key)
      ? narration.querySelector(`[data-guess="${key}"]`)
      : null;
    /** @type {HTMLElement | null} */ const first = key === "Tab" && !shiftKey && (from === root || from === nextButton)
      ? figure.querySelector(".spot") ?? narration.querySelector("input, button")
      : null;
    if (!option && !first) return false;
    event.preventDefault();
    option ? option.click() : first?.focus();
    return true;
  }

  /** The step whose question can be put to a hall now: the next, else this one. */
  get asking() {
    const { data: { steps }, index } = this.player;
    return [index + 1, index].find((i) => i > 0 && steps[i]?.ask);
  }

  /** Puts the question alone where the words of its step will stand; the next press shows them. */
  askTheHall() {
    const { player, asking } = this;
    if (this.open || asking === undefined) return this.open ? this.reveal() : undefined;
    if (asking !== player.index) player.go(asking);
    this.open = this.hall = true;
    player.show();
  }

  /** Room for each question, and for whatever is said of a guess above the step's words. */
  tallest() {
    const { mode, data: { steps, words } } = this.player;
    if (mode === "presenting") return steps.flatMap(({ ask }) => ask ? [forTheHall(ask).outerHTML] : []);
    if (!this.active) return [];
    return steps.flatMap(({ ask, html }) => ask ? verdicts(ask, words).map((said) => said.outerHTML + html) : []);
  }
}

/** @param {"b" | "h2" | "h3" | "p" | "button"} tag @param {string} html */
const inline = (tag, html) => Object.assign(document.createElement(tag), { innerHTML: html });

/** @param {Ask} ask @param {Message} data */
function question(ask, { stage, words }) {
  const prompt = inline(stage ? "h2" : "h3", ask.prompt);
  prompt.id = "prompt";
  const skip = el("button", { type: "button", class: "skip", "data-guess": "" }, words.skip);
  const row = el("div", { class: "answers" }, ...answers(ask, words), skip);
  return el("form", { class: "ask", novalidate: "" }, prompt, row, el("p", { id: "complaint", class: "complaint" }));
}

/** @param {Ask} ask */
function forTheHall({ prompt, options }) {
  const list = options.map((html) => Object.assign(document.createElement("li"), { innerHTML: html }));
  return el("div", { class: "asked" }, inline("h2", prompt), ...(list.length ? [el("ol", {}, ...list)] : []));
}

/** @param {Ask} ask @param {Message["words"]} words */
function answers(ask, words) {
  if (ask.kind === "cell") return [el("p", {}, words.tap)];
  if (ask.kind === "choice") {
    return ask.options.map((html, i) => {
      const option = inline("button", html);
      option.setAttribute("type", "button");
      option.dataset.guess = String(i + 1);
      return option;
    });
  }
  const field = el("input", {
    type: "text",
    size: 12,
    autocomplete: "off",
    "aria-labelledby": "prompt",
    "aria-describedby": "complaint",
  });
  if (ask.positive) field.inputMode = "decimal"; // some of these keyboards have no minus
  return [field, el("button", { class: "commit" }, words.commit)];
}

/** What is said of each guess that a slip explains, and of one that none does.
 * @param {Ask} ask @param {Message["words"]} words */
function verdicts(ask, words) {
  const said = ask.shown.replace(/<[^>]*>/g, "");
  return [NaN, ...ask.slips.map(({ value }) => value)].map((value) =>
    verdict(ask, { said, value: typeof value === "number" && ask.kind === "number" ? [value] : value }, words)
  );
}

/** @param {Ask} ask @param {Guess} guess @param {Message["words"]} words */
function verdict(ask, { said, value }, words) {
  const { right, said: slip } = judged(ask, value);
  const line = el(
    "p",
    {},
    el("b", { class: "sign" }, right ? `✓ ${words.guess_right}` : "✗"),
    ` ${words.guess} `,
    el("b", {}, said),
    ` · ${words.truth} `,
    inline("b", ask.shown),
  );
  return el(
    "div",
    { class: right ? "verdict right" : "verdict", "data-testid": "verdict" },
    line,
    ...(slip ? [inline("p", slip)] : []),
  );
}

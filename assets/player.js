/** The step-through player. The server sends every step of a lesson at once; stepping then happens here alone. */

/** @import { Component, Message, Mode, Send } from "./types.d.ts" */
/** @import { Action } from "./keys.js" */
import { Address } from "./address.js";
import { draw, parseGroup } from "./draw.js";
import { markEdges, watchEdges } from "./edges.js";
import { el } from "./el.js";
import { Fit, scrollerOf } from "./fit.js";
import { action } from "./keys.js";
import { label, word } from "./label.js";
import { define, follow, opensHere } from "./links.js";
import { markUp } from "./markup.js";
import { Predict } from "./predict.js";
import { Spots } from "./spots.js";
import { followTheme } from "./theme.js";
import { Wall } from "./wall.js";
import { Zoom } from "./zoom.js";

const SECONDS_PER_STEP = 4;

/** Streamlit calls this again with new data, or a new theme, and the same parentElement.
 * @param {Component<Message, { player: Player }>} component */
export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.player ??= new Player(parentElement);
  return parentElement.player.receive(data, setTriggerValue);
}

export class Player {
  index = 0;
  last = 0;
  calls = 0;
  waits = false; // it plays on once the question has been answered
  text = "";
  /** @type {Message} */ data;
  /** Those of data.groups that are parsed. @type {SVGElement[]} */ groups = [];
  /** @type {Mode} */ mode = "";
  /** @type {number | null} */ timer = null;
  /** @type {Send} */ trigger;
  /** @type {AbortController | undefined} */ listening;
  /** Whether the reader of a new page has pressed nothing beside the player: then keys are its. */ fresh = true;
  pointed = false; // the last thing done in the player was done by a pointer
  resizes = new ResizeObserver(() => this.fit.later(80));
  moves = new ResizeObserver(() => this.fit.moved());

  /** @param {ShadowRoot} shadow */
  constructor(shadow) {
    this.shadow = shadow;
    this.root = el("section", { class: "player", tabindex: "0", "data-testid": "player" });
    this.parts = markUp(this.root);
    const { speed, choices, strip, legend, words, table } = this.parts;
    this.cut = [strip, legend, words, table];
    watchEdges(this.cut);
    speed.value = "1";
    shadow.append(this.root);
    this.address = new Address(this);
    this.zoom = new Zoom(this);
    this.fit = new Fit(this);
    this.wall = new Wall(this);
    this.predict = new Predict(this);
    this.spots = new Spots(this);
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("focusin", () => followTheme(this.root));
    this.root.addEventListener("pointerdown", () => (this.pointed = true));
    this.root.addEventListener("keydown", () => (this.pointed = false));
    speed.addEventListener("change", () => {
      this.playOn(this.timer !== null);
      this.focusBack();
    });
    choices.addEventListener("change", ({ target }) => {
      const { name, value } = /** @type {HTMLSelectElement} */ (target);
      this.trigger("choose", { name, value });
      this.focusBack();
    });
  }

  /** @param {Message} data @param {Send} trigger */
  receive(data, trigger) {
    const call = ++this.calls;
    this.trigger = trigger;
    if (!this.listening) this.attach();
    followTheme(this.root);
    const text = JSON.stringify(data);
    if (text !== this.text) this.adopt(data, text);
    this.address.keep();
    return () => call === this.calls && this.detach(); // Streamlit may clean up after an outdated call, late
  }

  attach() {
    const { signal } = this.listening = new AbortController();
    document.addEventListener("keydown", (event) => this.pressed(event), { signal });
    document.addEventListener("fullscreenchange", () => this.wall.followFullscreen(), { signal });
    document.addEventListener("pointerdown", (event) => { // in a page that is read, keys are the page's
      if (!event.composedPath().includes(this.root)) this.fresh = false;
    }, { signal });
    document.addEventListener("focusin", (event) => { // Tab reaches the scrolling box that holds the player
      if (this.mode && !event.composedPath().includes(this.root)) this.root.focus();
    }, { signal });
    document.fonts.addEventListener("loadingdone", () => this.fit.now(), { signal });
    addEventListener("hashchange", () => this.go(this.address.step() ?? this.index), { signal });
    globalThis.navigation?.addEventListener("currententrychange", () => this.address.keep(), { signal });
    addEventListener("resize", () => this.fit.later(80), { signal });
    this.resizes.observe(this.root);
    const page = scrollerOf(this.root)?.firstElementChild;
    if (page) this.moves.observe(page);
  }

  detach() {
    this.playOn(false);
    this.wall.end();
    [this.address.timer, this.fit.timer].forEach(clearTimeout);
    this.resizes.disconnect();
    this.moves.disconnect();
    this.listening?.abort();
    this.listening = undefined;
  }

  /** @param {Message} data @param {string} text */
  adopt(data, text) {
    const place = this.data?.lesson === data.lesson ? this.data.steps[this.index].id : null;
    this.fresh ||= place === null;
    const kept = data.steps.findIndex(({ id }) => id === place);
    Object.assign(this, { data, text, last: data.steps.length - 1, groups: [] });
    this.address.turn();
    this.playOn(false);
    this.index = this.within(place === null ? this.address.step() ?? 0 : kept < 0 ? this.index : kept);
    label(this.root, this.parts, data);
    this.predict.renew();
    this.show();
    this.fit.arriving = place !== null || this.index > 0;
    this.fit.now();
    this.prepare(this.groups);
    if (data.stage && place === null) this.wall.begin();
    if (place !== null && location.hash) this.address.write();
  }

  /** Parses the shapes of later steps while the browser is idle, so that the first visit costs no more than the next.
   * @param {SVGElement[]} groups @param {number} [next] */
  prepare(groups, next = 0) {
    globalThis.requestIdleCallback?.((idle) => {
      if (this.groups !== groups) return; // other steps have come
      for (; next < this.data.groups.length; next += 1) {
        if (idle.timeRemaining() < 2) return this.prepare(groups, next);
        groups[next] ??= parseGroup(this.data.groups[next]);
      }
    });
  }

  word() {
    word(this.root, this.parts, this.data, { playing: this.timer !== null, mode: this.mode });
  }

  /** @param {number} index */
  within(index) {
    return Math.max(0, Math.min(index, this.last));
  }

  /** @param {number} index @param {boolean} [forward] */
  step(index, forward = false) {
    if (this.timer !== null) this.playOn(false);
    this.go(index, forward);
  }

  /** @param {number} index @param {boolean} [forward] */
  go(index, forward = false) {
    if (this.within(index) === this.index) { // at the last step, or by the strip
      if (this.predict.open) this.predict.reveal();
      return;
    }
    this.index = this.within(index);
    this.waits = false;
    this.predict.enter(forward);
    this.root.classList.add("moved"); // nothing fades in before the first move
    this.show();
    this.fit.keepInSight();
    this.address.write();
  }

  show() {
    const { data, index, last, predict, parts } = this, { html } = data.steps[index];
    const { groups, label, table, legend } = data.steps[predict.open ? index - 1 : index]; // no question shows its answer
    this.root.dataset.step = String(index);
    this.root.classList.toggle("hall", predict.hall);
    parts.definition.hidePopover();
    if (parts.say.contains(this.shadow.activeElement)) this.root.focus({ preventScroll: true }); // that term is going
    draw(parts.svg, groups.map((i) => (this.groups[i] ??= parseGroup(data.groups[i]))));
    parts.svg.ariaLabel = label;
    parts.narration.replaceChildren(...predict.words(html));
    parts.table.innerHTML = table;
    parts.words.scrollTop = parts.table.scrollTop = 0;
    [...parts.legend.children].forEach((entry, i) => entry.toggleAttribute("hidden", !legend.includes(i)));
    parts.counter.textContent = `${index + 1} / ${last + 1}`;
    // A truly disabled button would lose the focus, and the keys.
    parts.previousButton.ariaDisabled = String(index === 0);
    parts.nextButton.ariaDisabled = String(index === last && !predict.open && !(data.onward && this.mode));
    parts.hallButton.ariaDisabled = String(predict.asking === undefined);
    this.wall.offer(false);
    parts.onward.hidden = index < last || predict.open || !data.onward;
    this.root.classList.toggle("asking", predict.open);
    const { strip } = parts, item = /** @type {HTMLElement} */ (strip.children[index]);
    strip.querySelector("[aria-current]")?.removeAttribute("aria-current");
    item.children[0].ariaCurrent = "step";
    this.spots.show();
    requestAnimationFrame(() => {
      strip.scrollLeft = item.offsetLeft - (strip.clientWidth - item.offsetWidth) / 2;
      markEdges(this.cut);
      this.fit.bringIntoView();
    });
  }

  /** @param {boolean} playing */
  playOn(playing) {
    const next = () => {
      this.go(this.index + 1, true);
      this.waits = this.predict.open; // until the reader has answered
      this.playOn(this.index < this.last && !this.waits);
    };
    clearTimeout(this.timer ?? undefined);
    this.timer = playing ? setTimeout(next, (SECONDS_PER_STEP * 1000) / Number(this.parts.speed.value)) : null;
    this.word();
  }

  /** @type {Record<Action, () => void>} */
  act = {
    previous: () => this.step(this.index - 1),
    next: () => {
      if (this.predict.open) this.predict.reveal();
      else if (!this.wall.onward()) this.step(this.index + 1, true);
    },
    first: () => this.step(0),
    last: () => this.step(this.last),
    play: () => {
      if (this.predict.open) this.predict.reveal();
      if (this.index === this.last) this.go(0);
      this.playOn(this.timer === null);
    },
    predict: () => this.predict.toggle(),
    help: () => this.parts.keys.togglePopover(),
    enlarge: () => this.wall.lift(this.mode === "enlarged" ? "" : "enlarged"),
    present: () => this.wall.lift(this.mode === "presenting" ? "" : "presenting"),
    leave: () => this.wall.lift(""),
    onward: () => this.wall.go(),
    contrast: () => this.wall.contrast(),
    blank: () => this.root.classList.add("blank"),
    hall: () => this.predict.askTheHall(),
    text: () => this.fit.choose(),
    closer: () => this.zoom.closer(),
    farther: () => this.zoom.farther(),
    whole: () => this.zoom.whole(),
    left: () => this.zoom.move(-1, 0),
    right: () => this.zoom.move(1, 0),
    up: () => this.zoom.move(0, -1),
    down: () => this.zoom.move(0, 1),
  };

  /** After a choice from a list, by a pointer or on a wall: the next key, or a clicker's, is to step. */
  focusBack() {
    if (this.mode || this.pointed) this.root.focus({ preventScroll: true });
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    /** @type {HTMLAnchorElement | null} */ const link = target.closest("#onward a");
    if (link && opensHere(event) && follow(link)) event.preventDefault();
    const item = target.closest("nav li");
    const mouse = event.detail > 0;
    if (mouse && target.closest("nav button, #toolbar button, #under button, #offer button")) {
      this.root.focus({ preventScroll: true });
    }
    if (item) this.step([...this.parts.strip.children].indexOf(item));
    if (target.matches(".term")) define(this.parts.definition, target, this.data.glossary);
    this.predict.clicked(target);
    /** @type {HTMLElement | null} */ const doing = target.closest("[data-do]");
    this.act[/** @type {Action} */ (doing?.dataset.do)]?.();
  }

  /** Whether a key that is pressed there is for the player. @param {EventTarget[]} path */
  hears(path) {
    if (this.mode || path.includes(this.root)) return true;
    const free = document.activeElement === document.body && this.fresh && this.data.stage;
    return free && this.root.getBoundingClientRect().top >= 0;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { key, ctrlKey, altKey, metaKey } = event;
    const path = event.composedPath(), from = /** @type {HTMLElement} */ (path[0]);
    if (ctrlKey || altKey || metaKey || !this.hears(path)) return;
    if (!this.mode && this.predict.pressed(event, from)) return;
    if (from.isContentEditable || from.closest?.("input, select, textarea")) return;
    if ((key === " " || key === "Enter") && from.closest?.("button, a")) return;
    const blank = this.root.classList.contains("blank"), noted = this.root.querySelector(":popover-open") !== null;
    const doing = action(key, this.mode, { blank, noted, larger: this.zoom.larger });
    if (!doing) return;
    event.preventDefault();
    this.root.classList.remove("blank");
    if (doing !== "show again" && doing !== "nothing") this.act[doing]();
  }
}

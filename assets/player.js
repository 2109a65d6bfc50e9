/** The step-through player. The server sends every step of a lesson at once; stepping then happens here alone. */

/** @import { Component, Message, Mode, Send } from "./types.d.ts" */
/** @import { Action } from "./keys.js" */
import { Address } from "./address.js";
import { draw, parseGroup } from "./draw.js";
import { el } from "./el.js";
import { Fit } from "./fit.js";
import { action } from "./keys.js";
import { label, word } from "./label.js";
import { raise } from "./lift.js";
import { define, follow } from "./links.js";
import { markUp } from "./markup.js";
import { Predict } from "./predict.js";
import { Spots } from "./spots.js";
import { followTheme } from "./theme.js";

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
  text = "";
  /** @type {Message} */ data;
  /** Those of data.groups that are parsed. @type {SVGElement[]} */ groups = [];
  /** @type {Mode} */ mode = "";
  /** @type {number | null} */ timer = null;
  /** @type {Send} */ trigger;
  /** @type {AbortController | undefined} */ listening;
  resizes = new ResizeObserver(() => this.fit.later(80));

  /** @param {ShadowRoot} shadow */
  constructor(shadow) {
    this.shadow = shadow;
    this.root = el("section", { class: "player", tabindex: "0", "data-testid": "player" });
    this.parts = markUp(this.root);
    const { speed, choices } = this.parts;
    speed.value = "1";
    shadow.append(this.root);
    this.address = new Address(this);
    this.fit = new Fit(this);
    this.predict = new Predict(this);
    this.spots = new Spots(this);
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("focusin", () => followTheme(this.root));
    speed.addEventListener("change", () => this.playOn(this.timer !== null));
    choices.addEventListener("change", ({ target }) => {
      const { name, value } = /** @type {HTMLSelectElement} */ (target);
      this.trigger("choose", { name, value });
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
    document.addEventListener("fullscreenchange", () => this.followFullscreen(), { signal });
    document.addEventListener("focusin", (event) => { // Tab reaches the scrolling box that holds the player
      if (this.mode && !event.composedPath().includes(this.root)) this.root.focus();
    }, { signal });
    document.fonts.addEventListener("loadingdone", () => this.fit.now(), { signal });
    addEventListener("hashchange", () => this.go(this.address.step() ?? this.index), { signal });
    globalThis.navigation?.addEventListener("currententrychange", () => this.address.keep(), { signal });
    for (const box of [this.root, this.parts.narration]) this.resizes.observe(box);
  }

  detach() {
    this.playOn(false);
    if (this.mode) this.lift("");
    [this.address.timer, this.fit.timer].forEach(clearTimeout);
    this.resizes.disconnect();
    this.listening?.abort();
    this.listening = undefined;
  }

  /** @param {Message} data @param {string} text */
  adopt(data, text) {
    const place = this.data?.lesson === data.lesson ? this.data.steps[this.index].id : null;
    const kept = data.steps.findIndex(({ id }) => id === place);
    Object.assign(this, { data, text, last: data.steps.length - 1, groups: [] });
    this.address.turn();
    this.playOn(false);
    this.index = this.within(place === null ? this.address.step() ?? 0 : kept < 0 ? this.index : kept);
    label(this.root, this.parts, data);
    this.predict.renew();
    this.show();
    this.fit.arriving = place !== null || this.index > 0;
    this.fit.later(0); // after the first picture
    this.prepare(this.groups);
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
    this.predict.enter(forward);
    this.root.classList.add("moved"); // nothing fades in before the first move
    this.show();
    this.fit.keepInSight();
    this.address.write();
  }

  show() {
    const { data, index, last, predict, parts } = this, { html } = data.steps[index];
    const { groups, label, table } = data.steps[predict.open ? index - 1 : index]; // no question shows its answer
    this.root.dataset.step = String(index);
    parts.definition.hidePopover();
    if (parts.say.contains(this.shadow.activeElement)) this.root.focus({ preventScroll: true }); // that term is going
    draw(parts.svg, groups.map((i) => (this.groups[i] ??= parseGroup(data.groups[i]))));
    parts.svg.ariaLabel = label;
    parts.narration.replaceChildren(...predict.words(html));
    parts.table.innerHTML = table;
    parts.counter.textContent = `${index + 1} / ${last + 1}`;
    // A truly disabled button would lose the focus, and the keys.
    parts.previousButton.ariaDisabled = String(index === 0);
    parts.nextButton.ariaDisabled = String(index === last && !predict.open);
    parts.onward.hidden = index < last || predict.open || !data.onward;
    const { strip } = parts, item = /** @type {HTMLElement} */ (strip.children[index]);
    strip.querySelector("[aria-current]")?.removeAttribute("aria-current");
    item.children[0].ariaCurrent = "step";
    this.spots.show();
    requestAnimationFrame(() => {
      strip.scrollLeft = item.offsetLeft - (strip.clientWidth - item.offsetWidth) / 2;
      this.fit.bringIntoView();
    });
  }

  /** @param {boolean} playing */
  playOn(playing) {
    const next = () => {
      this.go(this.index + 1);
      this.playOn(this.index < this.last);
    };
    clearTimeout(this.timer ?? undefined);
    this.timer = playing ? setTimeout(next, (SECONDS_PER_STEP * 1000) / Number(this.parts.speed.value)) : null;
    this.word();
  }

  /** @type {Record<Action, () => void>} */
  act = {
    previous: () => this.step(this.index - 1),
    next: () => this.step(this.index + 1, true),
    first: () => this.step(0),
    last: () => this.step(this.last),
    play: () => {
      if (this.index === this.last) this.go(0);
      this.playOn(this.timer === null);
    },
    predict: () => this.predict.toggle(),
    help: () => this.parts.keys.togglePopover(),
    enlarge: () => this.lift(this.mode === "enlarged" ? "" : "enlarged"),
    present: () => this.lift(this.mode === "presenting" ? "" : "presenting"),
    text: () => this.fit.choose(),
    up: () => this.parts.figure.scrollBy(0, -80),
    down: () => this.parts.figure.scrollBy(0, 80),
    blank: () => this.root.classList.add("blank"),
    leave: () => this.lift(""),
  };

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    /** @type {HTMLAnchorElement | null} */ const link = target.closest("#onward a");
    if (link) follow(event, link);
    const item = target.closest("nav li");
    const mouse = event.detail > 0;
    if (mouse && target.closest("nav button, #toolbar button, .under button")) this.root.focus({ preventScroll: true });
    if (item) this.step([...this.parts.strip.children].indexOf(item));
    if (target.matches(".term")) define(this.parts.definition, target, this.data.glossary);
    this.predict.clicked(target);
    /** @type {HTMLElement | null} */ const doing = target.closest("[data-do]");
    this.act[/** @type {Action} */ (doing?.dataset.do)]?.();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { key, ctrlKey, altKey, metaKey } = event;
    const path = event.composedPath(), from = /** @type {HTMLElement} */ (path[0]);
    if (ctrlKey || altKey || metaKey || !(this.mode || path.includes(this.root))) return;
    if (!this.mode && this.predict.pressed(event, from)) return;
    if (from.isContentEditable || from.closest?.("input, select, textarea")) return;
    if ((key === " " || key === "Enter") && from.closest?.("button, a")) return;
    const blank = this.root.classList.contains("blank"), noted = this.root.querySelector(":popover-open") !== null;
    const doing = action(key, this.mode, { blank, noted });
    if (!doing) return;
    event.preventDefault();
    this.root.classList.remove("blank");
    if (doing !== "show again") this.act[doing]();
  }

  /** Enlarged or presenting, the player is in the top layer, above whatever the page puts around it.
   * @param {Mode} mode */
  lift(mode) {
    if (!this.mode) this.lower = raise(this.root, this.shadow);
    this.mode = this.root.dataset.mode = mode;
    this.root.classList.remove("blank");
    if (this.data.steps[this.index].ask) this.predict.reveal(); // nothing is asked here, nor any guess shown
    if (!mode) this.lower?.();
    const ready = () => (this.mode ? undefined : document.exitFullscreen());
    if (mode === "presenting") document.documentElement.requestFullscreen?.().then(ready, () => {}); // may be refused
    this.word();
    this.fit.now();
  }

  followFullscreen() {
    if (this.mode !== "presenting") return;
    if (!document.fullscreenElement) return this.lift("");
    this.root.popover = null; // and back, above the element that has just gone full screen
    this.root.popover = "manual";
    this.root.showPopover();
  }
}

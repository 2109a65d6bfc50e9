/** The step-through player. The server sends every step of a lesson at once; stepping then happens here alone. */

const SECONDS_PER_STEP = 4;

const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", " ": "play", p: "present",
  P: "present", "?": "help", "？": "help" };
const PRESENTING_KEYS = { PageUp: "previous", PageDown: "next", b: "blank", B: "blank", ".": "blank",
  t: "text", T: "text", ArrowUp: "up", ArrowDown: "down" };

// Parts are found by id, words by data-word (text) and data-label (aria-label), actions by data-do.
const button = (name, word = name) => `<button type="button" data-do="${name}" data-word="${word}" id="${name}Button"></button>`;
const MARKUP = `
<header><p class="lesson"><b id="title"></b> <span id="question"></span></p><ul id="ledger"></ul></header>
<div class="card" id="card"><nav data-label="steps"><ol id="strip"></ol></nav>
  <div id="figure" role="group" data-label="figure"><svg id="svg" role="img"></svg></div>
  <p class="hint" data-word="scroll"></p>
  <div class="under"><ul id="legend" data-label="legend"></ul>${button("predict")}</div>
  <div id="say"><div id="words"><div id="narration" class="narration" aria-live="polite" data-testid="narration"></div>
    <p id="onward" hidden></p></div><div id="table" class="table"></div></div>
  <div id="toolbar" role="toolbar">
    <div id="stepping" class="stepping">${button("previous")}${button("next")}${button("play")}
      <span id="counter" data-testid="step-counter"></span></div>
    <div class="tools"><select id="speed" data-label="speed">
      ${[0.5, 1, 1.5, 2].map((x) => `<option value=${x}>${x}×`).join("")}</select>
      <div id="choices"></div><span class="spacer"></span>${button("text", "whole")}${button("enlarge")}${button("present")}
      <button type="button" popovertarget="keys" data-label="keys" class="help">?</button></div></div></div>
<div id="definition" class="note" popover tabindex="-1" autofocus></div>
<div id="keys" class="note" popover><h3 data-word="keys"></h3><dl id="keyList"></dl></div>`;

/** Streamlit calls this again with new data, or a new theme, and the same parentElement. */
export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.player ??= new Player(parentElement);
  return parentElement.player.receive(data, setTriggerValue);
}

function stripItem({ title, parts }, i) {
  const text = `${i + 1} ${title}`;
  const item = el("button", { type: "button", "data-text": text }, text);
  if (parts) item.append(el("span", { class: "parts", "aria-hidden": "true" }, "✗"));
  if (parts) item.ariaLabel = item.title = `${text}, ${parts}`;
  return el("li", {}, item);
}

class Player {
  index = 0;
  calls = 0;

  constructor(shadow) {
    this.shadow = shadow;
    this.root = el("section", { class: "player", tabindex: "0", "data-testid": "player" });
    this.root.innerHTML = MARKUP;
    for (const part of this.root.querySelectorAll("[id]")) this[part.id] = part;
    this.speed.value = 1;
    shadow.append(this.root);
    this.fit = new Fit(this);
    this.predict = new Predict(this);
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("focusin", () => this.followTheme());
    this.speed.addEventListener("change", () => this.playOn(this.timer));
    this.choices.addEventListener("change", ({ target: { name, value } }) => this.trigger("choose", { name, value }));
  }

  receive(data, trigger) {
    const call = ++this.calls;
    this.trigger = trigger;
    if (!this.listening) this.attach();
    this.followTheme();
    const text = JSON.stringify(data);
    if (text !== this.text) this.adopt(data, text);
    this.keepPlace();
    return () => call === this.calls && this.detach(); // Streamlit may clean up after an outdated call, late
  }

  attach() {
    this.listening = new AbortController();
    const listen = (target, type, handle) => target.addEventListener(type, handle, { signal: this.listening.signal });
    listen(document, "keydown", (event) => this.pressed(event));
    listen(document, "fullscreenchange", () => this.followFullscreen());
    listen(document, "focusin", (event) => { // the page's own scrolling box can be reached by Tab, and holds the player
      if (this.mode && !event.composedPath().includes(this.root)) this.root.focus();
    });
    listen(document.fonts, "loadingdone", () => this.fit.now());
    listen(window, "hashchange", () => this.go(this.placeInUrl() ?? this.index));
    if (window.navigation) listen(navigation, "currententrychange", () => this.keepPlace());
    this.resizes = new ResizeObserver(() => this.fit.later(80));
    for (const box of [this.root, this.narration]) this.resizes.observe(box);
  }

  detach() {
    this.playOn(false);
    if (this.mode) this.lift("");
    [this.urlTimer, this.fit.timer].forEach(clearTimeout);
    this.resizes.disconnect();
    this.listening = this.listening.abort();
  }

  /** Light or dark by the page's own background; the system's preference may differ. */
  followTheme() {
    this.root.style.backgroundColor = "var(--st-background-color, #fff)";
    const [r, g, b] = getComputedStyle(this.root).backgroundColor.match(/[\d.]+/g) ?? [255, 255, 255];
    this.root.dataset.theme = 0.299 * r + 0.587 * g + 0.114 * b > 128 ? "light" : "dark";
  }

  adopt(data, text) {
    const place = this.data?.lesson === data.lesson ? this.data.steps[this.index].id : null;
    const kept = data.steps.findIndex(({ id }) => id === place);
    Object.assign(this, { data, text, last: data.steps.length - 1, groups: [], pathname: location.pathname });
    clearTimeout(this.urlTimer);
    this.playOn(false);
    this.index = this.within(place === null ? this.placeInUrl() ?? 0 : kept < 0 ? this.index : kept);
    this.label(data);
    this.predict.renew();
    this.show();
    this.fit.arriving = place !== null || this.index > 0;
    this.fit.later(0); // after the first picture
    this.prepare(this.groups);
    if (place !== null && location.hash) this.rememberPlace();
  }

  label({ words, steps, choices, ...data }) {
    this.root.lang = data.lang;
    this.root.classList.toggle("no-table", !steps.some(({ table }) => table));
    this.svg.setAttribute("viewBox", `0 0 ${data.width} ${data.height}`);
    this.svg.style.setProperty("--natural", `${data.width}px`);
    for (const node of this.root.querySelectorAll("[data-label]")) node.ariaLabel = words[node.dataset.label];
    this.root.ariaLabel = this.toolbar.ariaLabel = this.title.textContent = data.title;
    this.question.textContent = data.question;
    const onward = data.onward ? [words.next_lesson, " ", el("a", { href: data.onward.href }, data.onward.title)] : [];
    this.onward.replaceChildren(...onward);
    const source = data.source && { name: data.source, kind: "source" };
    renew(this.ledger, [...data.ledger, source].filter(Boolean), ({ name, effect, on, kind }) =>
      el("li", { class: kind ?? (on ? "chip on" : "chip") }, name, " ", effect ? el("b", {}, effect) : ""));
    renew(this.strip, steps.map(({ title, parts }) => ({ title, parts: parts && words.parts })), stripItem);
    renew(this.legend, data.legend, ({ text }) => el("li", {}, el("span", { "aria-hidden": "true" }), text));
    data.legend.forEach(({ svg }, i) => (this.legend.children[i].firstChild.innerHTML = svg));
    renew(this.keyList, words.key_list, ([key, meaning]) => el("div", {}, el("dt", {}, key), el("dd", {}, meaning)));
    renew(this.choices, choices.map(({ name }) => name), (name) => el("label", {}, el("span"), el("select", { name })));
    choices.forEach(({ label, value, options }, i) => {
      const [text, select] = this.choices.children[i].children;
      select.ariaLabel = label.long;
      text.textContent = label.short;
      renew(select, options, (option) => new Option(option.label, option.value));
      select.value = value;
    });
  }

  /** Parses the shapes of later steps while the browser is idle, so that the first visit costs no more than the next. */
  prepare(groups, next = 0) {
    window.requestIdleCallback?.((idle) => {
      if (this.groups !== groups) return; // other steps have come
      for (; next < this.data.groups.length; next += 1) {
        if (idle.timeRemaining() < 2) return this.prepare(groups, next);
        groups[next] ??= parseGroup(this.data.groups[next]);
      }
    });
  }

  word() {
    this.root.classList.toggle("playing", Boolean(this.timer));
    this.playButton.dataset.word = this.timer ? "pause" : "play";
    this.enlargeButton.dataset.word = this.mode === "enlarged" ? "close" : "enlarge";
    this.presentButton.dataset.word = this.mode === "presenting" ? "leave" : "present";
    for (const node of this.root.querySelectorAll("[data-word]")) node.textContent = this.data.words[node.dataset.word];
  }

  placeInUrl() {
    const hash = location.hash || arrivedWith(location.pathname);
    return this.data.address && /^#step-\d+$/.test(hash) ? hash.slice(6) - 1 : null;
  }

  within = (index) => Math.max(0, Math.min(index, this.last));
  step(index, forward = false) {
    if (this.timer) this.playOn(false);
    this.go(index, forward);
  }

  go(index, forward = false) {
    if (this.within(index) === this.index) return this.predict.open && this.predict.reveal(); // at the last step, or by the strip
    this.index = this.within(index);
    this.predict.enter(forward);
    this.root.classList.add("moved"); // nothing fades in before the first move
    this.show();
    this.fit.keepInSight();
    this.rememberPlace();
  }

  show() {
    const { steps } = this.data, { html } = steps[this.index];
    const { groups, label, table } = steps[this.predict.open ? this.index - 1 : this.index]; // a question does not show the answer
    this.root.dataset.step = this.index;
    this.definition.hidePopover();
    if (this.say.contains(this.shadow.activeElement)) this.root.focus({ preventScroll: true }); // that term is going
    draw(this.svg, groups.map((i) => (this.groups[i] ??= parseGroup(this.data.groups[i]))));
    this.svg.ariaLabel = label;
    this.narration.replaceChildren(...this.predict.words(html));
    this.table.innerHTML = table;
    this.counter.textContent = `${this.index + 1} / ${this.last + 1}`;
    this.previousButton.ariaDisabled = this.index === 0; // a truly disabled button would lose the focus, and the keys
    this.nextButton.ariaDisabled = this.index === this.last && !this.predict.open;
    this.onward.hidden = this.index < this.last || this.predict.open || !this.data.onward;
    const { strip } = this;
    const item = strip.children[this.index];
    strip.querySelector("[aria-current]")?.removeAttribute("aria-current");
    item.firstChild.ariaCurrent = "step";
    this.predict.frames();
    requestAnimationFrame(() => {
      strip.scrollLeft = item.offsetLeft - (strip.clientWidth - item.offsetWidth) / 2;
      this.fit.bringIntoView();
    });
  }

  playOn(playing) {
    const next = () => { this.go(this.index + 1); this.playOn(this.index < this.last); };
    clearTimeout(this.timer);
    this.timer = playing ? setTimeout(next, (SECONDS_PER_STEP * 1000) / this.speed.value) : null;
    this.word();
  }

  /** Streamlit drops it when it changes the query, also after it has called the player. */
  keepPlace() {
    if (this.index > 0 && !location.hash && location.pathname === this.pathname) this.rememberPlace();
  }

  rememberPlace() {
    if (!this.data.address) return; // a second player on the page
    const { pathname } = location;
    clearTimeout(this.urlTimer);
    this.urlTimer = setTimeout(() => {
      if (location.pathname !== pathname) return;
      this.written = performance.now();
      history.replaceState(history.state, "", `${pathname}${location.search}#step-${this.index + 1}`);
    }, (this.written ?? -150) + 150 - performance.now()); // a held key steps faster than browsers accept new URLs
  }

  act = {
    previous: () => this.step(this.index - 1),
    next: () => this.step(this.index + 1, true),
    first: () => this.step(0),
    last: () => this.step(this.last),
    play: () => { if (this.index === this.last) this.go(0); this.playOn(!this.timer); },
    predict: () => this.predict.toggle(),
    help: () => this.keys.togglePopover(),
    enlarge: () => this.lift(this.mode === "enlarged" ? "" : "enlarged"),
    present: () => this.lift(this.mode === "presenting" ? "" : "presenting"),
    text: () => this.fit.choose(),
    up: () => this.figure.scrollBy(0, -80),
    down: () => this.figure.scrollBy(0, 80),
    blank: () => this.root.classList.add("blank"),
    leave: () => this.lift(""),
  };

  clicked(event) {
    const { target, detail } = event;
    const link = target.closest("#onward a");
    if (link) follow(event, link);
    const item = target.closest("nav li");
    if (detail > 0 && target.closest("nav button, #toolbar button, .under button")) this.root.focus({ preventScroll: true });
    if (item) this.step([...this.strip.children].indexOf(item));
    if (target.matches(".term")) define(this.definition, target, this.data.glossary);
    this.predict.clicked(target);
    this.act[target.closest("[data-do]")?.dataset.do]?.();
  }

  pressed(event) {
    const { key, ctrlKey, altKey, metaKey } = event;
    const path = event.composedPath();
    if (ctrlKey || altKey || metaKey || !(this.mode || path.includes(this.root))) return;
    if (!this.mode && this.predict.pressed(event, path[0])) return;
    if (path[0].isContentEditable || path[0].closest?.("input, select, textarea")) return;
    if ((key === " " || key === "Enter") && path[0].closest?.("button, a")) return;
    const leaving = key === "Escape" && this.mode && !this.root.querySelector(":popover-open") && "leave";
    const blank = this.root.classList.contains("blank");
    const action = blank ? "show again" : KEYS[key] || (this.mode === "presenting" && PRESENTING_KEYS[key]) || leaving;
    if (!action) return;
    event.preventDefault();
    this.root.classList.remove("blank");
    this.act[action]?.();
  }

  /** Enlarged or presenting, the player is in the top layer, above whatever the page puts around it. */
  lift(mode) {
    if (!this.mode) this.raise();
    this.mode = this.root.dataset.mode = mode;
    this.root.classList.remove("blank");
    if (this.data.steps[this.index].ask) this.predict.reveal(); // nothing is asked here, nor any guess shown
    if (!mode) this.lower();
    const ready = () => this.mode || document.exitFullscreen();
    if (mode === "presenting") document.documentElement.requestFullscreen?.().then(ready, () => {}); // may be refused
    this.word();
    this.fit.now();
  }

  raise() {
    const { root, shadow } = this;
    const placeholder = el("div", { style: `height: ${root.getBoundingClientRect().height}px` });
    const scrolled = [], covered = [];
    for (let at = root; at; at = at.parentNode ?? at.host) {
      scrolled.push([at, at.scrollTop]);
      for (const node of at.parentNode?.children ?? []) if (node !== at && !node.inert) covered.push(node);
    }
    const scrollBack = () => scrolled.forEach(([box, top]) => (box.scrollTop = top));
    for (const node of covered) node.inert = true; // the focus stays in the player
    root.before(placeholder);
    root.popover = "manual";
    root.showPopover();
    this.lower = () => {
      root.popover = null;
      placeholder.remove();
      for (const node of covered) node.inert = false;
      scrollBack();
      (shadow.activeElement ?? root).focus({ preventScroll: true });
      if (document.fullscreenElement) document.exitFullscreen().then(scrollBack, () => {});
    };
  }

  followFullscreen() {
    if (this.mode !== "presenting") return;
    if (!document.fullscreenElement) return this.lift("");
    this.root.popover = null; // and back, above the element that has just gone full screen
    this.root.popover = "manual";
    this.root.showPopover();
  }
}

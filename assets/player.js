/** The step-through player. The server sends every step of a lesson at once; stepping then happens here alone. */

const SECONDS_PER_STEP = 4;
// Presenting: the sentence gives way until the figure's smallest letters can be read from the back row.
const LEAN = ["whole", "sentence", "figure", "scrolled"]; // [data-lean] in player.css: what is left out, step by step
const SIZES = 5; // [data-size] in player.css; 0 is the largest type
const SAY_SHARE = 0.3; // of the screen's height at most for sentence and numbers
const SMALLEST = 13; // units of a figure's smallest letters, in figure.css
const readable = () => Math.max(14, innerHeight * 16 / 1080); // px
const NARROW = 720; // px; there the player scrolls as a whole

const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", " ": "play", p: "present",
  P: "present", "?": "help", "？": "help" };
const PRESENTING_KEYS = { PageUp: "previous", PageDown: "next", b: "blank", B: "blank", ".": "blank",
  t: "text", T: "text", ArrowUp: "up", ArrowDown: "down" };

// Parts are found by id, words by data-word (text) and data-label (aria-label), actions by data-do.
const button = (name) => `<button type="button" data-do="${name}" data-word="${name}" id="${name}Button"></button>`;
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
      <div id="choices"></div><span class="spacer"></span>${button("enlarge")}${button("present")}
      <button type="button" popovertarget="keys" data-label="keys" class="help">?</button></div></div></div>
<div id="definition" class="note" popover tabindex="-1" autofocus></div>
<div id="keys" class="note" popover><h3 data-word="keys"></h3><dl id="keyList"></dl></div>`;

/** Streamlit calls this again with new data, or a new theme, and the same parentElement. */
export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.player ??= new Player(parentElement);
  return parentElement.player.receive(data, setTriggerValue);
}

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function stripItem({ title, parts }, i) {
  const text = `${i + 1} ${title}`;
  const item = el("button", { type: "button", "data-text": text }, text);
  if (parts) item.append(el("span", { class: "parts", "aria-hidden": "true" }, "✗"));
  if (parts) item.ariaLabel = item.title = `${text}, ${parts}`;
  return el("li", {}, item);
}

/** Replaces the children only when what they show has changed, so that focus and scrolling survive. */
function renew(node, items, build) {
  const text = JSON.stringify(items);
  if (node.shows !== text) node.replaceChildren(...items.map(build));
  node.shows = text;
}

const parseGroup = (xml) => document.importNode(new DOMParser().parseFromString(
  `<svg xmlns="http://www.w3.org/2000/svg">${xml}</svg>`, "image/svg+xml").documentElement.firstElementChild, true);

/** `now` made equal to `then`, keeping each node that can be kept, so that CSS animates it. */
function morph(now, then) {
  if (now?.isEqualNode(then)) return now;
  if (now?.nodeName !== then.nodeName || !then.attributes) {
    const fresh = then.cloneNode(true);
    now?.replaceWith(fresh);
    return fresh;
  }
  const names = now.getAttributeNames();
  if (String(names) !== String(then.getAttributeNames())) names.forEach((name) => now.removeAttribute(name));
  for (const { name, value } of then.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  while (now.childNodes.length > then.childNodes.length) now.lastChild.remove();
  then.childNodes.forEach((child, i) => {
    const node = morph(now.childNodes[i], child);
    if (!node.parentNode) now.append(node);
  });
  return now;
}

/** Shows these groups and no others, each morphed from the one that has its data-key now. */
function draw(svg, groups) {
  const before = new Map([...svg.children].map((node) => [node.dataset.key, node]));
  const nodes = new Set(groups.map((then) => morph(before.get(then.dataset.key), then)));
  for (const node of [...svg.children]) if (!nodes.has(node)) node.remove();
  let cursor = svg.firstChild;
  for (const node of nodes) {
    if (node === cursor) cursor = cursor.nextSibling;
    else if (node.parentNode && svg.moveBefore) svg.moveBefore(node, cursor); // restarts no transition
    else svg.insertBefore(node, cursor);
  }
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
    if (this.index > 0 && !location.hash) this.rememberPlace(); // Streamlit drops it when it changes the query
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
    listen(document.fonts, "loadingdone", () => this.reserve());
    listen(window, "hashchange", () => this.go(this.placeInUrl() ?? this.index));
    this.resizes = new ResizeObserver(() => this.reserveLater(80));
    for (const box of [this.root, this.narration]) this.resizes.observe(box);
  }

  detach() {
    this.playOn(false);
    if (this.mode) this.lift("");
    [this.urlTimer, this.reserveTimer].forEach(clearTimeout);
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
    Object.assign(this, { data, text, last: data.steps.length - 1, groups: [] });
    clearTimeout(this.urlTimer);
    this.playOn(false);
    this.index = this.within(place === null ? this.placeInUrl() ?? 0 : kept < 0 ? this.index : kept);
    this.label(data);
    this.predict.renew();
    this.show();
    this.reserveLater(0); // after the first picture
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
    this.keepInSight();
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
      this.bringIntoView();
    });
  }

  /** Where the figure is larger than its box: scroll to what has changed, if it is out of sight. */
  bringIntoView() {
    const { figure } = this;
    const larger = figure.scrollWidth > figure.clientWidth || figure.scrollHeight > figure.clientHeight;
    const wrong = this.mode && figure.querySelector(".role-wrong"); // on a wall it is what the hall is to look at
    const changed = larger && (wrong || figure.querySelector(".role-wrong, .role-new"));
    if (!changed) return;
    const box = figure.getBoundingClientRect(), { left, right, top, bottom } = changed.getBoundingClientRect();
    if (left < box.left || right > box.right) figure.scrollLeft += left - box.left - box.width / 4;
    if (top < box.top || bottom > box.bottom) figure.scrollTop += bottom - box.bottom + box.height / 4;
  }

  /** What has just been said must not lie under the buttons or below the window: the player moves up, first to its own top. */
  keepInSight() {
    requestAnimationFrame(() => {
      const { card, narration, stepping } = this;
      const hidden = () => narration.getBoundingClientRect().bottom > Math.min(stepping.getBoundingClientRect().top, innerHeight);
      if (this.mode || !hidden()) return;
      if (card.getBoundingClientRect().top > 0) card.scrollIntoView({ block: "start" });
      if (hidden()) narration.scrollIntoView({ block: "nearest" });
    });
  }

  playOn(playing) {
    const next = () => { this.go(this.index + 1); this.playOn(this.index < this.last); };
    clearTimeout(this.timer);
    this.timer = playing ? setTimeout(next, (SECONDS_PER_STEP * 1000) / this.speed.value) : null;
    this.word();
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

 /** Room for the tallest step, so that nothing moves below it; when presenting, in the largest type that fits. */
  reserveLater(ms) {
    clearTimeout(this.reserveTimer);
    this.root.dataset.moving = "";
    this.reserveTimer = setTimeout(() => this.reserve(), ms);
  }

  reserve() {
    if (this.root.matches(":active")) return this.reserveLater(80); // a button that moves while it is pressed takes no click
    delete this.root.dataset.moving;
    this.predict.place();
    if (this.mode === "enlarged") return;
    this.lean("whole", 0);
    if (!this.mode || innerWidth <= NARROW) return;
    for (const lean of LEAN.slice(0, this.full ? 1 : 3))
      for (let size = 0; size < SIZES; size++) {
        this.lean(lean, size);
        if ((this.full || this.letters() >= readable()) && this.say.offsetHeight <= innerHeight * SAY_SHARE) return this.bringIntoView();
      }
    if (!this.full) this.lean("scrolled", SIZES - 1);
    this.bringIntoView();
  }

  lean(lean, size) {
    const { steps, onward, width, height } = this.data, zoom = readable() / SMALLEST;
    Object.assign(this.root.dataset, { lean, size });
    for (const [name, length] of [["--wide", width], ["--high", height]]) this.svg.style.setProperty(name, `${length * zoom}px`);
    const texts = [...steps.map(({ html }) => html), ...this.predict.tallest()];
    if (onward && !this.mode) texts.push(`${steps.at(-1).html}<p>&nbsp;</p>`);
    this.words.style.minHeight = this.tallest(this.narration, texts);
    this.table.style.minHeight = this.tallest(this.table, steps.map(({ table }) => table));
  }

  /** Pixels of the figure's smallest letters. */
  letters() {
    const { width, height } = this.svg.getBoundingClientRect();
    return SMALLEST * Math.min(width / this.data.width, height / this.data.height);
  }

  tallest(box, texts) {
    const probe = el("div", { class: `${box.className} probe`, style: `width: ${box.clientWidth}px` });
    probe.innerHTML = texts.map((html) => `<div>${html}</div>`).join("");
    box.after(probe);
    const height = Math.max(...[...probe.children].map((child) => child.getBoundingClientRect().height));
    probe.remove();
    return `${Math.ceil(height)}px`;
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
    text: () => { this.full = !this.full; this.reserve(); },
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
    this.reserve();
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

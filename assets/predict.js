/** Predict, then reveal. A marked step asks before it shows itself: the counter has moved on, the picture has not. Goes before
    player.js in the same module. */

const inline = (tag, html) => Object.assign(document.createElement(tag), { innerHTML: html });
const remember = (word) => { try { localStorage.setItem("predict", word); } catch { /* a browser that keeps nothing */ } };
const remembered = () => { try { return localStorage.getItem("predict"); } catch { return null; } };

/** What a number may mean: a comma groups digits or stands for the point. */
function readings(typed) {
  const plain = typed.normalize("NFKC").replace(/[−﹣]/g, "-").replace(/(\d)\s+(?=\d)/g, "$1").trim();
  const ways = [plain.replace(/,(?=\d{3}(\D|$))/g, ""), plain.replace(",", ".")];
  return ways.filter((way) => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i.test(way)).map(Number).filter(Number.isFinite);
}

const meets = (x, y, { relative, absolute }) => Math.abs(x - y) <= Math.max(absolute, relative * Math.abs(y));

class Predict {
  on = remembered() !== "off";
  open = false; // a question stands where the step's own words will stand
  guesses = new Map(); // by step: { said, value }, what the reader committed; {} where the step was shown without a guess

  constructor(player) {
    this.player = player;
    player.root.addEventListener("submit", (event) => { event.preventDefault(); this.answer(); });
  }

  get ask() { return this.player.data.steps[this.player.index].ask; }
  get picking() { return this.open && this.ask.kind === "cell"; }
  get active() { return this.on && !this.player.mode; }

  /** New steps ask anew. */
  renew() {
    this.open = false;
    this.guesses.clear();
    this.mark();
  }

  /** The toggle, and the question marks in the strip. */
  mark() {
    const { predictButton, strip, root, data } = this.player;
    predictButton.hidden = !data.steps.some(({ ask }) => ask);
    predictButton.ariaPressed = this.on;
    root.classList.toggle("predicting", this.on);
    data.steps.forEach(({ ask, title, parts }, i) => {
      const item = strip.children[i].firstChild;
      item.classList.toggle("asks", Boolean(ask && this.on));
      if (ask || parts) item.ariaLabel = [`${i + 1} ${title}`, parts && data.words.parts, ask && this.on && data.words.asks].filter(Boolean).join(", ");
    });
  }

  toggle() {
    this.on = !this.on;
    remember(this.on ? "on" : "off");
    this.open = false;
    this.mark();
    this.player.show();
    this.player.fit.later(0);
  }

  /** Whether the step that is now gone to asks first. */
  enter(forward) {
    this.open = Boolean(forward && this.active && this.ask && !this.guesses.has(this.player.index));
  }

  /** What stands in the narration: the question, or what came of it and then the step's own words. */
  words(html) {
    if (this.open) return [this.question()];
    const guess = this.active && this.ask && this.guesses.get(this.player.index);
    const own = document.createRange().createContextualFragment(html);
    return guess?.said === undefined ? [own] : [this.verdict(guess), own];
  }

  question() {
    const { ask, player: { data: { words } } } = this;
    const form = el("form", { class: "ask", novalidate: "" }, inline("h3", ask.prompt));
    form.firstChild.id = "prompt";
    const row = form.appendChild(el("div", { class: "answers" }));
    const skip = el("button", { type: "button", class: "skip", "data-guess": "" }, words.skip);
    if (ask.kind === "number") {
      const field = { type: "text", size: "12", autocomplete: "off", "aria-labelledby": "prompt", "aria-describedby": "complaint" };
      if (ask.positive) field.inputmode = "decimal"; // some of these keyboards have no minus
      row.append(el("input", field), el("button", { class: "commit" }, words.commit), skip);
    } else if (ask.kind === "choice") {
      const option = (html, i) => { const b = inline("button", html); b.type = "button"; b.dataset.guess = i + 1; return b; };
      row.append(...ask.options.map(option), skip);
    } else row.append(el("p", {}, words.tap), skip);
    form.append(el("p", { id: "complaint", class: "complaint" }));
    return form;
  }

  verdict({ said, value }) {
    const { ask, player: { data: { words } } } = this;
    const number = ask.kind === "number";
    const same = (y) => (number ? value.some((x) => meets(x, y, ask)) : value === y);
    const right = same(ask.answer);
    const line = el("p", {}, el("b", { class: "sign" }, right ? `✓ ${words.guess_right}` : "✗"), ` ${words.guess} `, el("b", {}, said), ` · ${words.truth} `, inline("b", ask.shown));
    const slip = !right && ask.slips.find((guess) => same(guess.value));
    return el("div", { class: right ? "verdict right" : "verdict", "data-testid": "verdict" }, line, ...(slip ? [inline("p", slip.said)] : []));
  }

  /** The number in the field, or a complaint that leaves it there. */
  answer() {
    const field = this.player.narration.querySelector("input");
    const value = readings(field.value.slice(0, 60));
    if (value.length) return this.commit({ said: field.value.trim(), value });
    this.player.narration.querySelector("#complaint").textContent = this.player.data.words.nonsense;
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }

  commit(guess) {
    this.guesses.set(this.player.index, guess);
    this.reveal();
    this.player.root.focus({ preventScroll: true });
  }

  reveal() {
    this.open = false;
    this.player.show();
    this.player.fit.keepInSight();
  }

  /** Takes a click: an option, "show it", or a cell. */
  clicked(target) {
    if (!this.open) return;
    const button = target.closest("[data-guess]"), cell = target.closest("#svg > g, .spot")?.dataset.key;
    if (button) return this.commit(button.dataset.guess ? { said: button.textContent, value: Number(button.dataset.guess) } : {});
    if (!this.picking || !this.cells().some((node) => node.dataset.key === cell)) return;
    this.commit({ said: label(this.player.svg.querySelector(`[data-key="${CSS.escape(cell)}"]`)), value: cell });
  }

  /** Takes a key: figures go to the field or choose an option; Tab goes to the first answer. */
  pressed(event, from) {
    if (!this.open) return false;
    const { key, shiftKey } = event, { narration, root, nextButton, figure } = this.player;
    const field = narration.querySelector("input");
    if (key === "Escape" && from === field) return root.focus(), true;
    if (from.closest?.("input, select")) return false;
    if (field && /^[\d.,\-−]$/.test(key)) return field.focus(), true; // which then receives it
    const option = /^[1-9]$/.test(key) && narration.querySelector(`[data-guess="${key}"]`);
    const first = key === "Tab" && !shiftKey && (from === root || from === nextButton)
      && (figure.querySelector(".spot") ?? narration.querySelector("input, button"));
    if (!option && !first) return false;
    event.preventDefault();
    option ? option.click() : first.focus();
    return true;
  }

  cells() {
    const { among } = this.ask;
    const all = [...this.player.svg.children].filter((node) => node.matches("g.cell, g.bar"));
    return among.length ? [...this.player.svg.children].filter(({ dataset }) => among.includes(dataset.key)) : all;
  }

  /** Over the figure: a button for the keyboard on each cell that may be picked; later a frame around guess and truth. */
  frames() {
    const { figure, svg } = this.player;
    figure.querySelectorAll(".spot").forEach((spot) => spot.remove());
    const { ask, picking } = this;
    this.player.root.classList.toggle("picking", picking);
    if (picking) for (const cell of this.cells())
      figure.append(el("button", { type: "button", class: "spot", "data-key": cell.dataset.key, "aria-label": label(cell) }));
    const guess = ask?.kind === "cell" && !this.open && this.active && this.guesses.get(this.player.index)?.value;
    if (guess) for (const key of new Set([guess, ask.answer]))
      if (svg.querySelector(`[data-key="${CSS.escape(key)}"]`))
        figure.append(el("i", { class: `spot ${key === ask.answer ? "truth" : "guessed"}`, "data-key": key }));
    this.place();
  }

  place() {
    const { figure, svg } = this.player;
    const spots = figure.querySelectorAll(".spot");
    if (!spots.length) return;
    const picture = svg.getBoundingClientRect(), box = figure.getBoundingClientRect();
    const zoom = picture.width / svg.viewBox.baseVal.width;
    for (const spot of spots) {
      const group = svg.querySelector(`[data-key="${CSS.escape(spot.dataset.key)}"]`);
      const { x, y, width, height } = group.getBBox(), { e, f } = group.transform.baseVal.consolidate().matrix;
      const px = { left: (x + e) * zoom + picture.left - box.left + figure.scrollLeft, top: (y + f) * zoom + picture.top - box.top + figure.scrollTop,
        width: width * zoom, height: height * zoom };
      for (const [name, length] of Object.entries(px)) spot.style[name] = `${length}px`;
    }
  }

  /** Room for each question and for the longest thing said of a guess above the step's words. */
  tallest() {
    if (!this.active) return [];
    const { index, data } = this.player;
    const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a), "");
    return data.steps.filter(({ ask }) => ask).map(({ ask, html }) =>
      `<div class="verdict"><p>${data.words.guess} ${ask.shown} · ${ask.shown}</p><p>${longest(ask.slips.map(({ said }) => said))}</p></div>${html}`);
  }
}

/** A cell in words: its name, or what is written in it. */
const label = (cell) => cell.dataset.name ?? ([...cell.querySelectorAll("text")].map((text) => text.textContent).join(" ") || cell.dataset.key);

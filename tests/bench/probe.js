/** What the bench runs inside the page: waits measured from the browser's own events, free of Playwright's delays. */
window.bench = {
  parts: {
    player: (step) => window.bench.player()?.dataset.step === String(step),
    // the step's text and its picture: both must be there
    native: (step) =>
      document.querySelector(".st-key-counter")?.innerText.startsWith(`${step + 1} /`) &&
      document.querySelector(".gtitle")?.textContent.startsWith(`${step + 1} `),
  },

  player() {
    for (const host of document.querySelectorAll("*")) {
      const found = host.shadowRoot?.querySelector("[data-testid=player]");
      if (found) return found;
    }
  },

  frame: () => new Promise(requestAnimationFrame),

  /** Keeps the frames coming. A browser at rest paints at once when asked, one at work at its next beat: compare like with like. */
  async beat() {
    for (;;) await window.bench.frame();
  },

  /** Resolves when the browser has painted the next frame: a task posted before the painting runs after it. */
  async painted() {
    await window.bench.frame();
    const { port1, port2 } = new MessageChannel();
    return new Promise((done) => { port1.onmessage = done; port2.postMessage(null); });
  },

  /** Milliseconds from the next click to the painted step. */
  cost(part, step) {
    const shows = window.bench.parts[part];
    return new Promise((done) => addEventListener("click", async () => {
      const start = performance.now();
      do await window.bench.painted(); while (!shows(step));
      done(performance.now() - start);
    }, { capture: true, once: true }));
  },

  /** The same wait with nothing clicked. */
  async empty() {
    const start = performance.now();
    await window.bench.painted();
    return performance.now() - start;
  },

  /** Notes in `usable` the milliseconds since navigation until a click on Next changes the counter. */
  async watchPlayer() {
    for (;;) {
      const player = window.bench.player();
      const counter = player?.querySelector("[data-testid=step-counter]");
      const [previous, next] = ["previous", "next"].map((name) => player?.querySelector(`[data-do=${name}]`));
      const there = performance.now();
      if (counter?.textContent.startsWith("1 /") && next?.ariaDisabled !== "true" && next.checkVisibility()) {
        next.click();
        const works = counter.textContent.startsWith("2 /");
        previous.click();
        if (works) return (window.bench.usable = there);
      }
      await window.bench.frame();
    }
  },

  /** The same for the bare page: until its button is there. */
  async watchButton() {
    while (!document.querySelector("[data-testid=stButton] button:enabled")?.checkVisibility()) await window.bench.frame();
    window.bench.usable = performance.now();
  },
};

/** A closer look at the picture, while the player covers the page: it grows beyond its box, in which it is moved. */

/** @import { Player } from "./player.js" */

const STEP = 1.25;
const REALLY = 1.3; // Enlarge makes everything so much larger at least

export class Zoom {
  /** px for a unit of the picture where all of it is seen. */
  base = 1;
  factor = 1;
  /** px for a unit that were promised. */
  least = 0;

  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const { figure } = player.parts;
    figure.addEventListener("wheel", (event) => this.turned(event), { passive: false });
    figure.addEventListener("pointerdown", (event) => this.grabbed(event));
  }

  /** The mode is about to change. @param {boolean} enlarging */
  enter(enlarging) {
    this.least = enlarging ? REALLY * this.base : 0;
    this.factor = 1;
  }

  /** All of the picture is seen at so many px for a unit. @param {number} base */
  fit(base) {
    Object.assign(this, { base, factor: Math.max(this.factor, this.least / base), least: 0 });
    this.draw();
  }

  draw() {
    const { data: { width, height }, parts: { svg } } = this.player, zoom = this.base * this.factor;
    Object.assign(svg.style, { width: `${zoom * width}px`, height: `${zoom * height}px` });
  }

  /** Whether there is something to be moved to. */
  get larger() {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = this.player.parts.figure;
    return scrollWidth > clientWidth || scrollHeight > clientHeight;
  }

  /** Around a point of the window, else around the middle of the box. @param {number} ratio
   * @param {{ clientX: number, clientY: number }} [point] */
  by(ratio, point) {
    const { figure, svg } = this.player.parts, box = figure.getBoundingClientRect();
    const x = point?.clientX ?? box.left + box.width / 2, y = point?.clientY ?? box.top + box.height / 2;
    const before = svg.getBoundingClientRect();
    this.factor = limited(this.factor * ratio);
    this.draw();
    const after = svg.getBoundingClientRect();
    figure.scrollLeft += after.left + (x - before.left) * after.width / before.width - x;
    figure.scrollTop += after.top + (y - before.top) * after.height / before.height - y;
  }

  closer = () => this.by(STEP);
  farther = () => this.by(1 / STEP);
  whole = () => this.by(1 / this.factor);

  /** @param {number} right @param {number} down in steps */
  move(right, down) {
    this.player.parts.figure.scrollBy(80 * right, 80 * down);
  }

  /** @param {WheelEvent} event */
  turned(event) {
    if (!this.player.mode) return;
    event.preventDefault();
    this.by(Math.exp(-0.0015 * event.deltaY * (event.deltaMode ? 30 : 1)), event);
  }

  /** @param {PointerEvent} event */
  grabbed(event) {
    const { mode, parts: { figure } } = this.player;
    if (!mode || event.button || event.pointerType === "touch" || !this.larger) return; // a finger scrolls by itself
    const { clientX, clientY } = event, { scrollLeft, scrollTop } = figure, done = new AbortController();
    figure.setPointerCapture(event.pointerId);
    figure.addEventListener("pointermove", (now) => {
      figure.scrollTo(scrollLeft + clientX - now.clientX, scrollTop + clientY - now.clientY);
    }, { signal: done.signal });
    for (const end of ["pointerup", "pointercancel"]) {
      figure.addEventListener(end, () => done.abort(), { signal: done.signal });
    }
  }
}

/** From all of the picture to a few cells. @param {number} factor */
export const limited = (factor) => Math.min(16, Math.max(1, factor));

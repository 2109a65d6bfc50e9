/** The arithmetic of what is in sight: no page, only lengths in px. */

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Sides */
/** @typedef {{ width: number, height: number }} Size */

const LEAN = ["whole", "sentence", "figure", "scrolled"]; // [data-lean] in player.css: what is left out, step by step
const SIZES = 5; // [data-size] in player.css; 0 is the largest type
export const SMALLEST = 13; // units of a figure's smallest letters, in figure.css

/** Letters that can be read from the back row, in a window of this height. @param {number} height */
export const readable = (height) => Math.max(14, height * 16 / 1080);

/** A figure's smallest letters: its units fill the picture one way, and leave room the other.
 * @param {Size} picture @param {Size} units */
export const letters = (picture, units) =>
  SMALLEST * Math.min(picture.width / units.width, picture.height / units.height);

/** What a presenting player tries, one after the other, until it fits, or to the end. `full`: the presenter wants the
 * whole text (true), or a larger figure (false), or has not chosen.
 * @param {boolean} [full] */
export function attempts(full) {
  const leans = LEAN.slice(full === false ? 1 : 0, full ? 1 : 3);
  const tried = leans.flatMap((lean) => Array.from({ length: SIZES }, (_, size) => ({ lean, size })));
  return full ? tried : [...tried, { lean: LEAN[3], size: SIZES - 1 }];
}

/** How far to scroll a box so that all of these lie in its middle, or where they do not fit in it, the first of them;
 * nothing one way where they are in sight that way.
 * @param {Sides & Size} box @param {Sides[]} boxes */
export function scrollTo(box, boxes) {
  const all = around(boxes);
  const fits = all.right - all.left <= box.width && all.bottom - all.top <= box.height;
  const { left, right, top, bottom } = fits ? all : boxes[0];
  return {
    left: left < box.left || right > box.right ? (left + right - box.left - box.right) / 2 : 0,
    top: top < box.top || bottom > box.bottom ? (top + bottom - box.top - box.bottom) / 2 : 0,
  };
}

/** @param {Sides[]} boxes @returns {Sides} */
export function around(boxes) {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    right: Math.max(...boxes.map(({ right }) => right)),
    top: Math.min(...boxes.map(({ top }) => top)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

/** Where a shape of the picture lies in the box that it scrolls in. `zoom`: px for a unit of the picture; `from`: the
 * box's scrolled content begins there.
 * @param {Size & { x: number, y: number }} shape in units @param {{ e: number, f: number }} moved by its transform
 * @param {number} zoom @param {{ left: number, top: number }} picture @param {{ left: number, top: number }} from */
export const within = ({ x, y, width, height }, { e, f }, zoom, picture, from) => ({
  left: (x + e) * zoom + picture.left - from.left,
  top: (y + f) * zoom + picture.top - from.top,
  width: width * zoom,
  height: height * zoom,
});

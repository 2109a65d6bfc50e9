/** The arithmetic of what is in sight: no page, only lengths in px. */

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Sides */
/** @import { Level } from "./arrange.js" */
/** @typedef {{ width: number, height: number }} Size */

/** Letters that can be read from the back row, in a window of this height. @param {number} height */
export const readable = (height) => Math.max(14, height * 16 / 1080);

/** A window of this size or more has room for letters of 13 px everywhere. @param {Size} window */
const isRoomy = ({ width, height }) => width >= 1280 && height >= 800;

/** The smallest letters that a lesson's picture should have on its page. @param {Size} window */
export const legible = (window) => isRoomy(window) ? 13 : 11;

/** What a stage tries, one after the other: a table that scrolls only when smaller type is not enough.
 * @param {Size} window @returns {Level[]} */
export function stageLevels(window) {
  const base = Math.min(20, Math.max(14, 10.6 + window.height / 160)), least = isRoomy(window) ? 14.2 : 12.6;
  const [large, middle, small] = [1, 0.93, 0.87].map((share) => Math.max(least, share * base));
  const tried = /** @type {const} */ ([[large, "whole"], [middle, "whole"], [large, "least"], [middle, "least"], [
    small,
    "least",
  ]]);
  return tried.map(([type, table]) => ({ type, words: "all", table }));
}

/** What a presenting player tries: nobody scrolls a table on a wall, so it stands there whole or not at all, unless the
 * presenter wants the whole text (`full`: true). Or a larger figure (false); nothing where they have not chosen.
 * @param {number} unit px, about a hundredth of the screen's height @param {boolean} [full] @returns {Level[]} */
export function wallLevels(unit, full) {
  const types = [3, 2.75, 2.5, 2.2, 2].map((size) => size * unit);
  const as = (/** @type {Omit<Level, "type">} */ level, from = 0) =>
    types.slice(from).map((type) => ({ type, ...level }));
  const whole = as({ words: "all", table: "whole" }), head = as({ words: "head", table: "none" });
  if (full) return [...whole, ...as({ words: "all", table: "least" }, 3)];
  return full === false ? head : [...whole, ...as({ words: "all", table: "none" }, 2), ...head];
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

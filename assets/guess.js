/** What a guess is worth. */

/** @import { Ask, Guess } from "./types.d.ts" */

/** Whether a number counts as another.
 * @param {number} x @param {number} y @param {{ relative: number, absolute: number }} within */
export const meets = (x, y, { relative, absolute }) => Math.abs(x - y) <= Math.max(absolute, relative * Math.abs(y));

/** Whether a number is another to two figures; of whole numbers and counts it never is.
 * @param {number} x @param {number} y @param {{ relative: number }} within */
const rounds = (x, y, { relative }) =>
  relative > 0 && y % 1 !== 0 && Math.abs(x - Number(y.toPrecision(2))) <= 1e-5 * Math.abs(x);

/** Whether it is right, and else what is said of it, if it is a usual wrong one. A number is right in any of its
 * readings, and to two figures, unless a usual wrong one reads the same.
 * @param {Ask} ask @param {Guess["value"]} value */
export function judged(ask, value) {
  const numbers = Array.isArray(value) ? value : [];
  const same = (/** @type {number | string} */ truth) =>
    Array.isArray(value) ? value.some((x) => meets(x, Number(truth), ask)) : value === truth;
  const slip = ask.slips.find((slip) => same(slip.value));
  const rounded = numbers.some((x) =>
    rounds(x, Number(ask.answer), ask) && !ask.slips.some((slip) => rounds(x, Number(slip.value), ask))
  );
  const right = same(ask.answer) || (!slip && rounded);
  return { right, said: right ? undefined : slip?.said };
}

/** What a guess is worth. */

/** @import { Ask, Guess } from "./types.d.ts" */

/** Whether a number counts as another.
 * @param {number} x @param {number} y @param {{ relative: number, absolute: number }} within */
export const meets = (x, y, { relative, absolute }) => Math.abs(x - y) <= Math.max(absolute, relative * Math.abs(y));

/** Whether it is right, and else what is said of it, if it is a usual wrong one. A number is right in any of its
 * readings.
 * @param {Ask} ask @param {Guess["value"]} value */
export function judged(ask, value) {
  const same = (/** @type {number | string} */ truth) =>
    Array.isArray(value) ? value.some((x) => meets(x, Number(truth), ask)) : value === truth;
  const right = same(ask.answer);
  return { right, said: right ? undefined : ask.slips.find((slip) => same(slip.value))?.said };
}

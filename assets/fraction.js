/** Exact fractions, of a bounded length: what lessons/kit/expression.py computes with. */

/** In lowest terms; `d` is positive. @typedef {{ n: bigint, d: bigint }} Fraction */

const MOST_BITS = 1100; // beyond that, the nearest float; every float is a fraction of at most 1075

/** There is no such number: too large, a division by zero, a root of a negative number, or a text that is none. */
export class Unreadable extends Error {}

/** @param {bigint} n @param {bigint} [d] not 0 @returns {Fraction} */
export function fraction(n, d = 1n) {
  let [a, b] = [absolute(n), absolute(d)];
  while (b) [a, b] = [b, a % b];
  const divisor = d < 0n ? -a : a;
  return { n: n / divisor, d: d / divisor };
}

/** @typedef {(x: Fraction, y: Fraction) => Fraction} Operation */
/** @type {Operation} */
export const plus = (x, y) => kept(fraction(x.n * y.d + y.n * x.d, x.d * y.d));
/** @type {Operation} */
export const times = (x, y) => kept(fraction(x.n * y.n, x.d * y.d));
/** @param {Fraction} x @returns {Fraction} */
export const minus = ({ n, d }) => ({ n: -n, d });
/** @type {Operation} */
export const over = (x, { n, d }) => {
  if (!n) throw new Unreadable();
  return times(x, fraction(d, n));
};

/** @type {Operation} */
export function power(base, exponent) {
  if (!base.n && exponent.n < 0n) throw new Unreadable();
  const { n: by, d } = exponent, most = absolute(by);
  if (d !== 1n || most * BigInt(bits(base)) > BigInt(MOST_BITS)) return fromFloat(nearest(base) ** nearest(exponent));
  const [n, under] = [base.n ** most, base.d ** most];
  return kept(by < 0n ? fraction(under, n) : fraction(n, under));
}

/** A function of floats, where its value is one. @param {(x: number) => number} of @param {Fraction} x */
export const apply = (of, x) => fromFloat(of(nearest(x)));

/** @param {number} x @returns {Fraction} */
export function fromFloat(x) {
  if (!Number.isFinite(x)) throw new Unreadable();
  let d = 1n;
  for (; !Number.isInteger(x); x *= 2) d *= 2n;
  return fraction(BigInt(x), d);
}

/** The float nearest to it, the even one of two; infinite beyond the floats. @param {Fraction} x */
export function nearest({ n, d }) {
  const size = absolute(n);
  let shift = Math.min(1074, 53 - length(size) + length(d)); // a quotient of 53 or 54 bits, fewer where floats end
  if (quotient(size, d, shift).whole >> 53n) shift -= 1;
  const { whole, twice, unit } = quotient(size, d, shift);
  const up = twice > unit || (twice === unit && whole & 1n) ? 1n : 0n;
  const rounded = Number(whole + up);
  return (n < 0n ? -rounded : rounded) * 2 ** -shift;
}

/** n / d × 2^shift: the whole part, and twice the rest in parts of `unit`.
 * @param {bigint} n @param {bigint} d @param {number} shift */
function quotient(n, d, shift) {
  const [over, unit] = shift < 0 ? [n, d << BigInt(-shift)] : [n << BigInt(shift), d];
  return { whole: over / unit, twice: 2n * (over % unit), unit };
}

/** @param {bigint} n */
const absolute = (n) => (n < 0n ? -n : n);
/** @param {bigint} size */
const length = (size) => size.toString(2).length;
/** @param {Fraction} x */
const bits = ({ n, d }) => Math.max(length(absolute(n)), length(d));

/** Itself while it is short. @param {Fraction} x */
export function kept(x) {
  const float = nearest(x);
  if (!Number.isFinite(float)) throw new Unreadable();
  return bits(x) <= MOST_BITS ? x : fromFloat(float);
}

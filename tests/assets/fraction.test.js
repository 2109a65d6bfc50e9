import {
  apply,
  fraction,
  fromFloat,
  kept,
  minus,
  nearest,
  over,
  plus,
  power,
  times,
  Unreadable,
} from "../../assets/fraction.js";
import { assert, equal, throws } from "./assert.js";
import { draws } from "./draws.js";

const third = fraction(1n, 3n);

Deno.test("fractions are exact and in lowest terms", () => {
  equal(fraction(6n, -4n), { n: -3n, d: 2n });
  equal(fraction(0n, -7n), { n: 0n, d: 1n });
  equal(plus(third, fraction(1n, 6n)), { n: 1n, d: 2n });
  equal(times(third, fraction(3n)), { n: 1n, d: 1n });
  equal(over(third, fraction(-2n)), { n: -1n, d: 6n });
  equal(power(fraction(-2n, 3n), fraction(-3n)), { n: -27n, d: 8n });
  equal(minus(third), { n: -1n, d: 3n });
});

Deno.test("the float nearest to a decimal is the one that the browser reads in it", () => {
  const draw = draws(1);
  let subnormal = 0;
  for (let i = 0; i < 3000; i += 1) {
    const digits = Array.from({ length: 1 + draw(25) }, () => draw(10)).join(""), tens = draw(660) - 345;
    const exact = fraction(BigInt(digits) * 10n ** BigInt(Math.max(tens, 0)), 10n ** BigInt(Math.max(-tens, 0)));
    const wanted = Number(`${digits}e${tens}`);
    equal(nearest(exact), wanted, `${digits}e${tens}`);
    equal(nearest(minus(exact)) || 0, -wanted || 0);
    subnormal += Number(0 < wanted && wanted < 2 ** -1022);
  }
  assert(subnormal > 20, `${subnormal} below the normal floats`);
});

Deno.test("of two floats as near the even one is taken", () => {
  const half = (/** @type {bigint} */ n) => nearest(fraction(2n * n + 1n, 2n));
  equal(half(2n ** 52n), 2 ** 52);
  equal(half(2n ** 52n + 1n), 2 ** 52 + 2);
  equal(nearest(fraction(1n, 2n ** 1075n)), 0);
  equal(nearest(fraction(3n, 2n ** 1075n)), 2 * 2 ** -1074);
  equal(nearest(fraction(2n ** 1024n - 2n ** 970n)), Infinity);
  equal(nearest(fraction(2n ** 1024n - 2n ** 970n - 1n)), Number.MAX_VALUE);
});

Deno.test("every float is a fraction and comes back", () => {
  for (const x of [0, 1, -1.5, 0.1, 1e300, -5e-324, 2 ** -1022, Number.MAX_VALUE, Math.PI]) {
    equal(nearest(fromFloat(x)), x);
  }
  for (const x of [NaN, Infinity, -Infinity]) throws(() => fromFloat(x), Unreadable);
});

Deno.test("what is long becomes the nearest float, and nothing grows beyond the floats", () => {
  const long = fraction(1n, 3n ** 800n);
  equal(kept(long), fromFloat(nearest(long)));
  equal(kept(fraction(1n, 3n ** 600n)), fraction(1n, 3n ** 600n));
  throws(() => kept(fraction(2n ** 1024n)), Unreadable);
  throws(() => times(fraction(2n ** 600n), fraction(2n ** 600n)), Unreadable);
});

Deno.test("what has no value is refused", () => {
  throws(() => over(third, fraction(0n)), Unreadable);
  throws(() => power(fraction(0n), fraction(-1n)), Unreadable);
  throws(() => power(fraction(-1n), fraction(1n, 2n)), Unreadable);
  throws(() => apply(Math.sqrt, fraction(-1n)), Unreadable);
  throws(() => apply(Math.log, fraction(0n)), Unreadable);
});

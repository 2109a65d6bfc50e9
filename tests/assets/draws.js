/** Whole numbers below n, the same ones at each run (mulberry32). @param {number} seed */
export function draws(seed) {
  let state = seed;
  return (/** @type {number} */ n) => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** What the tests claim. Written here, since node:assert brings Node's types along, in which a timer is no number. */

/** @param {unknown} claim @param {string} [what] @returns {asserts claim} */
export function assert(claim, what = "the claim is false") {
  if (!claim) throw new Error(what);
}

/** Equal in all parts; 0 is not -0. @param {unknown} found @param {unknown} wanted @param {string} [what] */
export function equal(found, wanted, what = "") {
  const [a, b] = [found, wanted].map((value) =>
    Deno.inspect(value, { depth: 20, sorted: true, iterableLimit: 1e6, strAbbreviateSize: 1e6, breakLength: 1e6 })
  );
  assert(a === b, `${what}\nfound  ${a}\nwanted ${b}`);
}

/** One and the same thing. @param {unknown} found @param {unknown} wanted */
export const same = (found, wanted) => assert(Object.is(found, wanted), "another one");

/** @param {() => unknown} run @param {new () => Error} kind */
export function throws(run, kind) {
  try {
    run();
  } catch (error) {
    return assert(error instanceof kind, String(error));
  }
  assert(false, "nothing was thrown");
}

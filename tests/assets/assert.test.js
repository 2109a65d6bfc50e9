import { assert, equal, same, throws } from "./assert.js";

Deno.test("what is not so is noticed", () => {
  for (
    const wrong of [
      () => assert(0),
      () => equal(1, 2),
      () => equal([1], [1, 2]),
      () => equal({ a: 1n }, { a: 1 }),
      () => equal(0, -0),
      () => equal("1", 1),
      () => equal({ a: undefined }, {}),
      () => same({}, {}),
      () => throws(() => 1, Error),
      () =>
        throws(() => {
          throw new Error();
        }, TypeError),
    ]
  ) throws(wrong, Error);
  equal({ b: [2n, NaN], a: "x" }, { a: "x", b: [2n, NaN] });
});

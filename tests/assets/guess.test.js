import { judged, meets } from "../../assets/guess.js";
import { assert, equal } from "./assert.js";

/** @import { Ask } from "../../assets/types.d.ts" */
const common = { prompt: "", shown: "", options: [], among: [], positive: true, relative: 0.005, absolute: 0.0005 };
/** @type {Ask} */
const number = {
  ...common,
  kind: "number",
  answer: 200,
  slips: [{ value: 100, said: "half of it" }, { value: 1.5, said: "a share" }],
};
/** @type {Ask} */
const choice = { ...common, kind: "choice", answer: 2, slips: [{ value: 1, said: "the other way round" }] };
/** @type {Ask} */
const cell = { ...common, kind: "cell", answer: "k.3", slips: [{ value: "k.2", said: "one too early" }] };

Deno.test("a number counts within the larger of two tolerances, the bound itself too", () => {
  assert(meets(201, 200, common));
  assert(meets(199, 200, common));
  assert(!meets(201.001, 200, common));
  assert(meets(0.0005, 0, common));
  assert(!meets(0.0006, 0, common));
  assert(meets(-201, -200, common));
});

Deno.test("a number is right in any of its readings", () => {
  equal(judged(number, [200.5]), { right: true, said: undefined });
  equal(judged(number, [3, 200]), { right: true, said: undefined });
});

Deno.test("a decimal is right to two figures, unless a usual wrong one reads the same", () => {
  /** @type {Ask} */ const weight = { ...number, answer: 0.1353, slips: [{ value: 0.3679, said: "e⁻¹" }] };
  assert(judged(weight, [0.14]).right);
  assert(!judged(weight, [0.13]).right); // cut off
  assert(!judged(weight, [0.1]).right);
  equal(judged(weight, [0.37]), { right: false, said: undefined });
  assert(!judged({ ...weight, slips: [{ value: 0.1368, said: "" }] }, [0.14]).right);
  equal(judged({ ...weight, slips: [{ value: 0.14, said: "it" }] }, [0.14]), { right: false, said: "it" });
  assert(!judged({ ...weight, answer: 131072 }, [130000]).right);
  assert(!judged({ ...weight, answer: 2.5, relative: 0, absolute: 0 }, [2.4]).right);
});

Deno.test("a usual wrong answer is told what it comes from, any other is not", () => {
  equal(judged(number, [100.4]), { right: false, said: "half of it" });
  equal(judged(number, [1500, 1.5]), { right: false, said: "a share" });
  equal(judged(number, [7]), { right: false, said: undefined });
});

Deno.test("an option counts from 1, a cell has its key", () => {
  assert(judged(choice, 2).right);
  equal(judged(choice, 1), { right: false, said: "the other way round" });
  equal(judged(choice, 3), { right: false, said: undefined });
  assert(judged(cell, "k.3").right);
  equal(judged(cell, "k.2"), { right: false, said: "one too early" });
});

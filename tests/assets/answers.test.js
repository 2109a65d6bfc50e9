import { answersIn, clock, together, written } from "../../assets/answers.js";
import { equal } from "./assert.js";

/** @import { Answer } from "../../assets/types.d.ts" */
const kept = { schema: "attention-progress", version: 1, most: 3, most_characters: 1000 };
const at = (/** @type {number} */ day, id = `id${day}`) => ({ id, at: `2024-05-0${day}T12:00:00.000`, right: true });
const text = (/** @type {Answer[]} */ ...answers) => written(answers, kept);
const days = (/** @type {string} */ text) => answersIn(text, kept).map(({ at }) => at.slice(8, 10)).join(" ");

Deno.test("what is written is read again, with all that the server put in an answer", () => {
  equal(answersIn(text(at(1), at(2)), kept), [at(1), at(2)]);
});

Deno.test("a text of another kind has no answers", () => {
  const other = (/** @type {object} */ fields) => JSON.stringify({ ...JSON.parse(text(at(1))), ...fields });
  for (
    const wrong of ["", "{", "null", "[]", "7", other({ schema: "x" }), other({ version: 2 }), other({ answers: {} })]
  ) {
    equal(answersIn(wrong, kept), [], wrong);
  }
});

Deno.test("what is no answer among them is left out", () => {
  const mixed = JSON.stringify({ ...kept, answers: [null, 3, {}, { id: 1, at: "" }, { id: "x" }, at(2)] });
  equal(answersIn(mixed, kept), [at(2)]);
});

Deno.test("of two texts together each answer stands once, the oldest first", () => {
  equal(days(together(text(at(3), at(1)), text(at(2), at(1)), kept)), "01 02 03");
  equal(answersIn(together(text(at(1, "a")), text(at(2, "a")), kept), kept), [at(2, "a")]);
  equal(days(together("nonsense", text(at(2)), kept)), "02");
  equal(days(together("", "", kept)), "");
});

Deno.test("where there are too many the oldest go", () => {
  equal(days(together(text(at(5), at(2), at(4)), text(at(1), at(3)), kept)), "03 04 05");
});

Deno.test("answers of one moment stand in the order of their names", () => {
  const ids = (/** @type {string} */ text) => answersIn(text, kept).map(({ id }) => id);
  equal(ids(together(text(at(1, "b")), text(at(1, "a")), kept)), ["a", "b"]);
});

Deno.test("the clock tells the reader's own time", () => {
  const noon = new Date("2024-05-01T12:00:00.000Z");
  equal(clock(noon, 0), "2024-05-01T12:00:00.000");
  equal(clock(noon, -480), "2024-05-01T20:00:00.000"); // China
  equal(clock(noon, 300), "2024-05-01T07:00:00.000");
});

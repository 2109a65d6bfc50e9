/** The cases that tests/assets/test_numbers.py runs in Python too. */

import { readings } from "../../assets/numbers.js";
import cases from "../numbers.json" with { type: "json" };
import { assert, equal } from "./assert.js";

const near = (/** @type {number} */ x, /** @type {number} */ y) => x === y || Math.abs(x - y) <= 1e-15 * Math.abs(y);

Deno.test("a number that is read has one reading", () => {
  for (const [typed, value] of Object.entries(cases.read)) {
    const found = readings(typed);
    equal(found.length, /[%％]$/.test(typed) ? 2 : 1, typed); // and without the sign
    assert(near(found[0], value) && !Object.is(found[0], -0), `${typed}: ${found}`);
  }
});

Deno.test("what is no number has no reading", () => {
  for (const typed of cases.refused) equal(readings(typed), [], typed);
});

Deno.test("a comma groups digits, or stands for the point, or may do both", () => {
  for (const [typed, found] of Object.entries(cases.comma)) equal(readings(typed), found, typed);
});

Deno.test("white space around a number says nothing", () => {
  for (const typed of Object.keys(cases.read)) equal(readings(`  ${typed}\u3000\n`), readings(typed), typed);
});

Deno.test("at most 200 characters are read, however wide they are", () => {
  equal(readings(`${" ".repeat(199)}7`), [7]);
  equal(readings(`${" ".repeat(200)}7`), []);
  equal(readings(`${"𝟏".repeat(200)}`), [Number("1".repeat(200))]);
  equal(readings("9".repeat(10_000)), []);
});

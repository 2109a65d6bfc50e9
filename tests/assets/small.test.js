import { found, ticked } from "../../assets/reply.js";
import { nameOf } from "../../assets/spots.js";
import { isLight } from "../../assets/theme.js";
import { assert, equal } from "./assert.js";

Deno.test("a page is light or dark by its background; green weighs most", () => {
  assert(isLight("rgb(255, 255, 255)"));
  assert(!isLight("rgb(14, 17, 23)"));
  assert(isLight("rgba(0, 255, 0, 1)"));
  assert(!isLight("rgb(255, 0, 255)"));
  assert(isLight("transparent"));
});

Deno.test("ticked cells are ones, row by row", () => {
  equal(ticked([{ checked: true }, { checked: false }, { checked: true }]), "101");
  equal(ticked([]), "");
});

Deno.test("a wrong claim is found when its correction is chosen too", () => {
  equal(found(2, 3), "2, 3");
  equal(found(2, 0), "");
  equal(found(0, 3), "");
});

Deno.test("a cell is called by its name, else by what is written in it, else by its key", () => {
  const cell = (/** @type {object} */ dataset, /** @type {string[]} */ ...texts) =>
    nameOf(/** @type {any} */ ({ dataset, querySelectorAll: () => texts.map((textContent) => ({ textContent })) }));
  equal(cell({ name: "row 2", key: "k" }, "7"), "row 2");
  equal(cell({ key: "k" }, "7", "B"), "7 B");
  equal(cell({ key: "k" }), "k");
});

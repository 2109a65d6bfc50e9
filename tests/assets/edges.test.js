import { cutEnds } from "../../assets/edges.js";
import { equal } from "./assert.js";

Deno.test("a box that shows everything is cut off nowhere, others where something is left", () => {
  const at = (/** @type {number} */ scrolled) => cutEnds(scrolled, 100, 300, ["left", "right"]);
  equal(cutEnds(0, 300, 300.6, ["left", "right"]), []);
  equal([at(0), at(50), at(200)], [["right"], ["left", "right"], ["left"]]);
});

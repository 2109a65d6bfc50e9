import { action } from "../../assets/keys.js";
import { equal } from "./assert.js";

const now = { blank: false, noted: false };

Deno.test("the arrows step in every mode, a clicker's keys only while presenting", () => {
  for (const mode of /** @type {const} */ (["", "enlarged", "presenting"])) {
    equal(action("ArrowRight", mode, now), "next");
  }
  equal(action("PageDown", "presenting", now), "next");
  equal(action("PageDown", "enlarged", now), undefined);
  equal(action("b", "", now), undefined);
});

Deno.test("Escape leaves a mode, once no note lies above the player", () => {
  equal(action("Escape", "presenting", now), "leave");
  equal(action("Escape", "enlarged", { ...now, noted: true }), undefined);
  equal(action("Escape", "", now), undefined);
});

Deno.test("whatever is pressed while the screen is black shows it again", () => {
  for (const key of ["b", "ArrowRight", "q", "Escape"]) {
    equal(action(key, "presenting", { ...now, blank: true }), "show again");
  }
});

Deno.test("other keys are left to the page", () => {
  for (const key of ["a", "Tab", "Enter", "F5", "Shift"]) equal(action(key, "presenting", now), undefined);
});

import { action } from "../../assets/keys.js";
import { equal } from "./assert.js";

const now = { blank: false, noted: false, larger: false };

Deno.test("left and right step in every mode", () => {
  for (const mode of /** @type {const} */ (["", "enlarged", "presenting"])) {
    equal([action("ArrowRight", mode, now), action("ArrowLeft", mode, now)], ["next", "previous"]);
  }
});

Deno.test("whatever a clicker sends steps, blanks or does no harm, while the player covers the page", () => {
  const sent = ["PageDown", "ArrowDown", "Enter", "PageUp", "ArrowUp", "Backspace"];
  const steps = ["next", "next", "next", "previous", "previous", "previous"];
  for (const mode of /** @type {const} */ (["enlarged", "presenting"])) {
    equal(sent.map((key) => action(key, mode, now)), steps);
  }
  equal(sent.map((key) => action(key, "", now)), sent.map(() => undefined));
  equal([".", "b", "B"].map((key) => action(key, "presenting", now)), ["blank", "blank", "blank"]);
  equal([action("F5", "presenting", now), action("F5", "enlarged", now), action("F5", "", now)], [
    "nothing",
    undefined,
    undefined,
  ]);
});

Deno.test("the arrows move an enlarged picture that is larger than its box; the keys of a clicker still step", () => {
  const larger = { ...now, larger: true };
  equal(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].map((key) => action(key, "enlarged", larger)), [
    "left",
    "right",
    "up",
    "down",
  ]);
  equal(["PageDown", "Enter"].map((key) => action(key, "enlarged", larger)), ["next", "next"]);
  equal(action("ArrowDown", "presenting", larger), "next"); // a clicker's
});

Deno.test("plus, minus and zero look closer only while the player covers the page", () => {
  equal(["+", "=", "-", "0"].map((key) => action(key, "enlarged", now)), ["closer", "closer", "farther", "whole"]);
  equal(action("+", "presenting", now), "closer");
  equal(action("+", "", now), undefined);
});

Deno.test("Escape leaves a mode, once no note lies above the player", () => {
  equal(action("Escape", "presenting", now), "leave");
  equal(action("Escape", "enlarged", { ...now, noted: true }), undefined);
  equal(action("Escape", "", now), undefined);
});

Deno.test("whatever is pressed while the screen is black shows it again", () => {
  for (const key of ["b", "ArrowRight", "q", "Escape", "F5"]) {
    equal(action(key, "presenting", { ...now, blank: true }), "show again");
  }
});

Deno.test("other keys are left to the page", () => {
  for (const key of ["a", "Tab", "F1", "Shift"]) equal(action(key, "presenting", now), undefined);
});

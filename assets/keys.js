/** Which key does what. */

/** @import { Mode } from "./types.d.ts" */
/** @typedef {"previous" | "next" | "first" | "last" | "play" | "predict" | "help" | "enlarge" | "present" | "text" |
 *   "hall" | "contrast" | "closer" | "farther" | "whole" | "left" | "right" | "up" | "down" | "blank" | "leave" |
 *   "onward"} Action */

/** @type {Partial<Record<string, Action>>} */
const KEYS = {
  ArrowLeft: "previous",
  ArrowRight: "next",
  Home: "first",
  End: "last",
  " ": "play",
  p: "present",
  P: "present",
  "?": "help",
  "？": "help",
};
/** While the player covers the page; clickers send some of them. @type {Partial<Record<string, Action>>} */
const COVERING_KEYS = {
  PageUp: "previous",
  PageDown: "next",
  ArrowUp: "previous",
  ArrowDown: "next",
  Backspace: "previous",
  Enter: "next",
  "+": "closer",
  "=": "closer",
  "-": "farther",
  "0": "whole",
};
/** @type {Partial<Record<string, Action>>} */
const PRESENTING_KEYS = {
  b: "blank",
  ".": "blank",
  "。": "blank",
  t: "text",
  q: "hall",
  h: "contrast",
};
/** In an enlarged picture that is larger than its box. @type {Partial<Record<string, Action>>} */
const MOVING_KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/** Nothing where the key is not ours. `noted`: a note lies above the player, and Escape closes that. `larger`: the
 * picture does not fit in its box.
 * @param {string} key @param {Mode} mode @param {{ blank: boolean, noted: boolean, larger: boolean }} now
 * @returns {Action | "show again" | "nothing" | undefined} */
export function action(key, mode, { blank, noted, larger }) {
  if (blank) return "show again"; // whatever is pressed
  const presenting = mode === "presenting";
  if (mode === "enlarged" && larger && key in MOVING_KEYS) return MOVING_KEYS[key];
  if (presenting && key === "F5") return "nothing"; // a clicker begins a show so; it must not load the page anew
  return (presenting ? PRESENTING_KEYS[key.length === 1 ? key.toLowerCase() : key] : undefined) ??
    (mode ? COVERING_KEYS[key] : undefined) ?? KEYS[key] ?? (key === "Escape" && mode && !noted ? "leave" : undefined);
}

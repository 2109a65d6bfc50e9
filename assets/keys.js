/** Which key does what. */

/** @import { Mode } from "./types.d.ts" */
/** @typedef {"previous" | "next" | "first" | "last" | "play" | "predict" | "help" | "enlarge" | "present" | "text" |
 *   "up" | "down" | "blank" | "leave"} Action */

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
/** @type {Partial<Record<string, Action>>} */
const PRESENTING_KEYS = {
  PageUp: "previous",
  PageDown: "next",
  b: "blank",
  B: "blank",
  ".": "blank",
  t: "text",
  T: "text",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** Nothing where the key is not ours. `noted`: a note lies above the player, and Escape closes that.
 * @param {string} key @param {Mode} mode @param {{ blank: boolean, noted: boolean }} now
 * @returns {Action | "show again" | undefined} */
export function action(key, mode, { blank, noted }) {
  if (blank) return "show again"; // whatever is pressed
  return KEYS[key] ?? (mode === "presenting" ? PRESENTING_KEYS[key] : undefined) ??
    (key === "Escape" && mode && !noted ? "leave" : undefined);
}

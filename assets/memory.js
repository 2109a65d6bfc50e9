/** What this browser keeps of how a reader likes the player. */

/** @param {string} name */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** @param {string} name @param {string} word */
export function keepInMind(name, word) {
  try {
    localStorage.setItem(name, word);
  } catch { /* it starts as ever next time */ }
}

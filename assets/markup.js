/** The player before it shows anything: parts are found by id, words by data-word (text) and data-label (aria-label),
 * actions by data-do. */

/** @import { Parts } from "./types.d.ts" */

const button = (/** @type {string} */ name, word = name) =>
  `<button type="button" data-do="${name}" data-word="${word}" id="${name}Button"></button>`;
const sign = (/** @type {string} */ name, /** @type {string} */ text) =>
  `<button type="button" data-do="${name}" data-label="${name}" id="${name}Button" class="sign">${text}</button>`;
const MARKUP = `
<header><h1 id="title"></h1><p id="question"></p><ul id="ledger"></ul></header>
<div class="card" id="card"><nav data-label="steps"><ol id="strip"></ol></nav>
  <div id="body">
    <div class="picture"><div id="figure" role="group" data-label="figure"><svg id="svg" role="img"></svg></div>
      <p class="hint" data-word="scroll"></p>
      <div id="under"><ul id="legend" data-label="legend"></ul>${button("predict")}</div></div>
    <div id="say"><div id="words"><div id="narration" class="narration" aria-live="polite" data-testid="narration"></div>
      <p id="onward" hidden></p></div><div id="table" class="table"></div></div></div>
  <div id="toolbar" role="toolbar">
    <div id="stepping" class="stepping">${button("previous")}${button("next")}${button("play")}
      <span id="counter" data-testid="step-counter"></span></div>
    <div class="tools"><select id="speed" data-label="speed">
      ${[0.5, 1, 1.5, 2].map((x) => `<option value=${x}>${x}×`).join("")}</select>
      <div id="choices"></div><span class="spacer"></span>${button("hall")}${sign("contrast", "◐")}${
  sign("farther", "−")
}${sign("closer", "+")}
      ${button("text", "all")}${button("enlarge")}${button("present")}
      <button type="button" popovertarget="keys" data-label="keys" class="help">?</button></div></div></div>
<p id="offer" role="status" hidden><span data-word="next_lesson"></span> <b></b> ${button("onward")}</p>
<div id="definition" class="note" popover tabindex="-1" autofocus></div>
<div id="keys" class="note" popover><h2 data-word="keys"></h2><dl id="keyList"></dl></div>`;

/** Fills the player's root. @param {HTMLElement} root @returns {Parts} */
export function markUp(root) {
  root.innerHTML = MARKUP;
  return /** @type {any} */ (Object.fromEntries([...root.querySelectorAll("[id]")].map((part) => [part.id, part])));
}

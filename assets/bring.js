/** Scrolls to what a link leads to, once: as soon as it no longer moves, for what stands above it may still be growing.
 * A reader who has done something meanwhile is where they want to be: a list just opened would close as the page moves
 * under it. */

/** @import { Component, Bring } from "./types.d.ts" */

/** @param {Component<Bring, { brought: string }>} component */
export default function ({ data, parentElement }) {
  if (parentElement.brought === data.for) return;
  parentElement.brought = data.for;
  const acts = ["pointerdown", "keydown", "wheel"], acted = new AbortController();
  for (const act of acts) {
    addEventListener(act, () => acted.abort(), { capture: true, passive: true, signal: acted.signal });
  }
  const look = (/** @type {number | null} */ top, /** @type {number} */ tries) => {
    if (acted.signal.aborted) return;
    const target = document.querySelector(`.st-key-${data.to}`), now = target?.getBoundingClientRect().top ?? null;
    if (now !== null && now === top) target?.scrollIntoView({ block: "start" });
    else if (tries) return setTimeout(look, 120, now, tries - 1);
    acted.abort();
  };
  look(null, 25);
}

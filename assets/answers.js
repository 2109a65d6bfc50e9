/** A reader's stored answers as text: what is in it, and two of them together. */

/** @import { Answer, Kept } from "./types.d.ts" */

/** The answers in a text; the server looks at them more closely.
 * @param {string} text @param {Kept} kept @returns {Answer[]} */
export function answersIn(text, { schema, version }) {
  try {
    const found = JSON.parse(text);
    const mine = found.schema === schema && found.version === version && Array.isArray(found.answers);
    return mine
      ? found.answers.filter((/** @type {any} */ answer) =>
        typeof answer?.id === "string" && typeof answer.at === "string"
      )
      : [];
  } catch {
    return [];
  }
}

/** Both together, each answer once, the oldest first; where there are too many, without the oldest.
 * @param {string} stored @param {string} more @param {Kept} kept */
export function together(stored, more, kept) {
  const all = new Map([stored, more].flatMap((text) => answersIn(text, kept)).map((answer) => [answer.id, answer]));
  const order = (/** @type {Answer} */ { at, id }) => `${at} ${id}`;
  const sorted = [...all.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(-kept.most);
  return written(sorted, kept);
}

/** @param {Answer[]} answers @param {Kept} kept */
export const written = (answers, { schema, version }) => JSON.stringify({ schema, version, answers });

/** The time on the clock where it is `offset` minutes behind UTC, as an answer has it.
 * @param {Date} time @param {number} [offset] */
export const clock = (time, offset = time.getTimezoneOffset()) =>
  new Date(time.getTime() - offset * 60000).toISOString().slice(0, -1);

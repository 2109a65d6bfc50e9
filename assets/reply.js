/** Ways of answering that Streamlit has no field for: ticking the cells of a table, putting lines in order, marking a
 * line of a program, finding a wrong claim and what it should say. What was changed goes to the server as text: 0s and
 * 1s row by row, or places from 1. */

/** @import { Component, Reply, Send } from "./types.d.ts" */
import { el } from "./el.js";

/** Streamlit calls this again at every rerun, with the same parentElement; the reader's own marks then stay.
 * @param {Component<Reply, { shows: string }>} component */
export default function ({ data, parentElement, setStateValue }) {
  const text = JSON.stringify(data);
  if (parentElement.shows === text) return;
  parentElement.shows = text;
  parentElement.querySelector("[data-testid=reply]")?.remove();
  const root = el("div", { "data-testid": "reply", role: "group", "aria-label": data.label });
  root.append(fields(data, setStateValue));
  parentElement.append(root);
}

/** @param {Reply} data @param {Send} send */
function fields(data, send) {
  switch (data.kind) {
    case "cells":
      return cells(data, send);
    case "order":
      return order(data, send);
    case "line":
      return program(data, send);
    case "error":
      return error(data, send);
  }
}

/** @param {{ rows: string[], columns: string[] }} table @param {Send} send */
function cells({ rows, columns }, send) {
  const named = rows.some(Boolean);
  const heads = [...(named ? [el("td")] : []), ...columns.map((name) => el("th", { scope: "col" }, name))];
  /** @type {HTMLInputElement[]} */ const boxes = [];
  const cell = (/** @type {string} */ name) => {
    const box = el("input", { type: "checkbox", "aria-label": name });
    boxes.push(box);
    return el("td", {}, el("label", {}, box));
  };
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      ...(named ? [el("th", { scope: "row" }, row)] : []),
      ...columns.map((column) => cell(`${row} ${column}`.trim())),
    )
  );
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...body));
  table.addEventListener("change", () => send("typed", ticked(boxes)));
  return el("div", { class: "wide" }, table);
}

/** @param {{ checked: boolean }[]} boxes */
export const ticked = (boxes) => boxes.map(({ checked }) => Number(checked)).join("");

/** @param {{ options: string[], names: { up: string, down: string } }} lines @param {Send} send */
function order({ options, names }, send) {
  const move = (/** @type {string} */ name, /** @type {1 | -1} */ by, /** @type {string} */ option) =>
    el(
      "button",
      { type: "button", "data-by": by, "aria-label": `${name}: ${option}`, title: name },
      by < 0 ? "▲" : "▼",
    );
  const lines = options.map((option, i) => {
    const up = move(names.up, -1, option), down = move(names.down, 1, option);
    return {
      place: i + 1,
      up,
      down,
      item: el("li", { "data-place": i + 1 }, el("div", { class: "line" }, el("span", {}, option), up, down)),
    };
  });
  const list = el("ol", {}, ...lines.map(({ item }) => item));
  const ends = () =>
    lines.forEach(({ up, down }, i) => {
      up.disabled = i === 0;
      down.disabled = i === lines.length - 1;
    });
  list.addEventListener("click", ({ target }) => {
    const i = lines.findIndex(({ up, down }) => target === up || target === down);
    if (i < 0) return;
    const line = lines[i], { item, up, down } = line, [again, other] = target === up ? [up, down] : [down, up];
    if (target === up) item.previousElementSibling?.before(item);
    else item.nextElementSibling?.after(item);
    lines.splice(i, 1);
    lines.splice(target === up ? i - 1 : i + 1, 0, line);
    ends();
    send("typed", lines.map(({ place }) => place).join(", "));
    (again.disabled ? other : again).focus(); // moved nodes lose the focus
  });
  ends();
  return list;
}

const PAUSE = 400; // ms: arrow keys run over many lines, of which only the last is meant

/** A program of which one line can be marked. Whoever leaves it has chosen at once.
 * @param {Extract<Reply, { kind: "line" }>} program @param {Send} send */
function program({ label, lines }, send) {
  const group = `line-${Math.random()}`;
  /** @type {number | undefined} */ let waiting;
  /** @type {string | undefined} */ let marked;
  const tell = () => {
    clearTimeout(waiting);
    if (marked !== undefined) send("typed", marked);
    marked = undefined;
  };
  const line = (
    /** @type {{ html: string, open: boolean, name: string }} */ { html, open, name },
    /** @type {number} */ i,
  ) => {
    const code = Object.assign(el("code", { class: "code" }), { innerHTML: html });
    const shown = [el("span", { class: "number" }, String(i + 1)), code];
    if (!open) return el("div", { class: "shut" }, ...shown);
    const box = el("input", {
      type: "radio",
      name: group,
      value: i + 1,
      "aria-label": `${name}: ${code.textContent?.trim()}`,
    });
    return el("label", {}, box, ...shown);
  };
  const list = el("div", { class: "program", role: "radiogroup", "aria-label": label }, ...lines.map(line));
  list.addEventListener("change", ({ target }) => {
    marked = /** @type {HTMLInputElement} */ (target).value;
    clearTimeout(waiting);
    waiting = setTimeout(tell, PAUSE);
  });
  list.addEventListener("focusout", tell);
  return list;
}

/** Claims of which one is wrong; below them, at once, what the chosen one might say instead: a correction chosen while
 * the server still draws the page would be lost. Each claim keeps its correction.
 * @param {Extract<Reply, { kind: "error" }>} error @param {Send} send */
function error({ label, correct, claims }, send) {
  let claim = 0;
  /** @type {number[]} */ const chosen = claims.map(() => 0);
  const tell = () => send("typed", found(claim, chosen[claim - 1]));
  const corrections = claims.map((one, i) =>
    choice(correct, one.corrections, (place) => {
      chosen[i] = place;
      tell();
    })
  );
  const show = () => corrections.forEach((group, i) => group.hidden = i + 1 !== claim);
  const said = choice(label, claims.map((one) => one.said), (place) => {
    claim = place;
    show();
    tell();
  });
  show();
  return el("div", {}, said, ...corrections);
}

/** Nothing until both are chosen. @param {number} claim @param {number} correction both from 1, 0 for none */
export const found = (claim, correction) => claim && correction ? `${claim}, ${correction}` : "";

/** Options of which one can be chosen. @param {string} label @param {string[]} options
 * @param {(place: number) => void} choose is told the place, from 1 */
function choice(label, options, choose) {
  const group = `choice-${Math.random()}`;
  const option = (/** @type {string} */ text, /** @type {number} */ i) =>
    el("label", {}, el("input", { type: "radio", name: group, value: i + 1 }), el("span", {}, text));
  const list = el("div", { class: "choice", role: "radiogroup", "aria-label": label }, el("p", {}, label));
  list.append(...options.map(option));
  list.addEventListener("change", ({ target }) => choose(Number(/** @type {HTMLInputElement} */ (target).value)));
  return list;
}

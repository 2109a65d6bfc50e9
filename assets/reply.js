/** Two ways of answering that Streamlit has no field for: ticking the cells of a table, and putting lines in order.
 * What was changed goes to the server as text: 0s and 1s row by row, or places from 1. */

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
  root.append(data.kind === "cells" ? cells(data, setStateValue) : order(data, setStateValue));
  parentElement.append(root);
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

/** Two ways of answering that Streamlit has no field for: ticking the cells of a table, and putting lines in order.
 * What was changed goes to the server as text: 0s and 1s row by row, or places from 1. */

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Streamlit calls this again at every rerun, with the same parentElement; the reader's own marks then stay. */
export default function ({ data, parentElement, setStateValue }) {
  const text = JSON.stringify(data);
  if (parentElement.shows === text) return;
  parentElement.shows = text;
  parentElement.querySelector("[data-testid=reply]")?.remove();
  const root = el("div", { "data-testid": "reply", role: "group", "aria-label": data.label });
  root.append(data.kind === "cells" ? cells(data, setStateValue) : order(data, setStateValue));
  parentElement.append(root);
}

function cells({ rows, columns }, setStateValue) {
  const heads = columns.map((name) => el("th", { scope: "col" }, name));
  const named = rows.some(Boolean);
  const body = rows.map((row) => el("tr", {}, ...(named ? [el("th", { scope: "row" }, row)] : []),
    ...columns.map((column) => el("td", {}, el("label", {}, el("input", { type: "checkbox", "aria-label": `${row} ${column}`.trim() }))))));
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...(named ? [el("td")] : []), ...heads)), el("tbody", {}, ...body));
  const boxes = [...table.querySelectorAll("input")];
  const say = () => setStateValue("typed", boxes.map((box) => Number(box.checked)).join(""));
  table.addEventListener("change", say);
  return el("div", { class: "wide" }, table);
}

function order({ options, names }, setStateValue) {
  const list = el("ol");
  const ends = () => [...list.children].forEach((item, i, all) => {
    item.querySelector("[data-by='-1']").disabled = i === 0;
    item.querySelector("[data-by='1']").disabled = i === all.length - 1;
  });
  const say = () => setStateValue("typed", [...list.children].map((item) => item.dataset.place).join(", "));
  const move = (name, by, option) => el("button", { type: "button", "data-by": by, "aria-label": `${name}: ${option}`, title: name }, by < 0 ? "▲" : "▼");
  options.forEach((option, i) => list.append(el("li", { "data-place": i + 1 },
    el("div", { class: "line" }, el("span", {}, option), move(names.up, -1, option), move(names.down, 1, option)))));
  list.addEventListener("click", ({ target }) => {
    const item = target.closest("li");
    const by = Number(target.dataset.by);
    if (!by) return;
    if (by < 0) item.previousElementSibling?.before(item);
    else item.nextElementSibling?.after(item);
    ends();
    say();
    const [again, other] = [target, item.querySelector(`[data-by='${-by}']`)];
    (again.disabled ? other : again).focus(); // moved nodes lose the focus
  });
  ends();
  return list;
}

/** Over the figure: a button for the keyboard on each cell that may be picked; later a frame around guess and truth. */

/** @import { Player } from "./player.js" */
import { childrenOf } from "./draw.js";
import { el } from "./el.js";
import { within } from "./sight.js";

/** A cell in words: its name, or what is written in it. @param {SVGElement} cell @returns {string} */
export const nameOf = (cell) =>
  cell.dataset.name ??
    ([...cell.querySelectorAll("text")].map((text) => text.textContent).join(" ") || (cell.dataset.key ?? ""));

export class Spots {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
  }

  /** The cells that may be picked now. */
  cells() {
    const { ask, open } = this.player.predict;
    if (!open || ask?.kind !== "cell") return [];
    const all = childrenOf(this.player.parts.svg), { among } = ask;
    return among.length
      ? all.filter(({ dataset }) => among.includes(dataset.key ?? ""))
      : all.filter((node) => node.matches("g.cell, g.bar"));
  }

  /** @param {string} key @returns {SVGGraphicsElement | null} */
  cell(key) {
    return this.player.parts.svg.querySelector(`[data-key="${CSS.escape(key)}"]`);
  }

  show() {
    const { root, predict, parts: { figure } } = this.player, { ask, open, guess } = predict;
    figure.querySelectorAll(".spot").forEach((spot) => spot.remove());
    root.classList.toggle("picking", open && ask?.kind === "cell");
    for (const cell of this.cells()) {
      figure.append(
        el("button", { type: "button", class: "spot", "data-key": cell.dataset.key ?? "", "aria-label": nameOf(cell) }),
      );
    }
    if (!open && ask?.kind === "cell" && typeof guess?.value === "string") {
      for (const key of new Set([guess.value, ask.answer])) {
        if (this.cell(key)) {
          figure.append(el("i", { class: `spot ${key === ask.answer ? "truth" : "guessed"}`, "data-key": key }));
        }
      }
    }
    this.place();
  }

  place() {
    const { figure, svg } = this.player.parts;
    /** @type {NodeListOf<HTMLElement>} */ const spots = figure.querySelectorAll(".spot");
    if (!spots.length) return;
    const picture = svg.getBoundingClientRect(), box = figure.getBoundingClientRect();
    const from = { left: box.left - figure.scrollLeft, top: box.top - figure.scrollTop };
    for (const spot of spots) {
      const group = this.cell(spot.dataset.key ?? "");
      const moved = group?.transform.baseVal.consolidate()?.matrix;
      if (!group || !moved) continue;
      const { left, top, width, height } = within(
        group.getBBox(),
        moved,
        picture.width / svg.viewBox.baseVal.width,
        picture,
        from,
      );
      Object.assign(spot.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    }
  }
}

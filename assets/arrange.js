/** How picture and words share the room between strip and buttons: arithmetic in px, no page. */

/** @import { Size } from "./sight.js" */
/** Words below the picture, or in a column beside it that takes this share of the width.
 * @typedef {{ place: "below" | "beside", share: number }} Way */
/** How much is said and in which type (px): everything or one sentence; the table whole, at least its head and two
 * rows, or not at all.
 * @typedef {{ type: number, words: "all" | "head", table: "whole" | "least" | "none" }} Level */
/** What the tallest step takes at one width; `cut`: the widest table is wider.
 * @typedef {{ words: number, whole: number, least: number, cut: boolean }} Tall */
/** `room` is shared; `units` is the picture's size, `frame` what stands around it in its box, `most` its largest zoom;
 * `edge` is the words' padding, `gap` lies between words and table, of which there may be none.
 * @typedef {{ room: Size, units: Size, frame: Size, most: number, edge: Size, gap: number, tables: boolean }} Stage */
/** `zoom`: px for a unit of the picture; `height`: px that this takes; `say` and `tall`: of which the box of words and
 * table, and the words in it; `fits`: whether they hold the tallest step.
 * @typedef {Way & Level & { zoom: number, height: number, say: number, tall: number, fits: boolean }} Arrangement */

export const SMALLEST = 14; // units of a figure's smallest letters, in figure.css
const TABLE = 0.35; // of the width, where it stands beside the words
const MOST = 0.6; // of the height for words below the picture
const FLOOR = 8 / SMALLEST; // px for a unit: with less room the picture scrolls in its box

/** @type {Way[]} */
export const WAYS = [
  { place: "below", share: 1 },
  ...[0.26, 0.3, 0.34, 0.38].map((share) => /** @type {Way} */ ({ place: "beside", share })),
];

/** How wide words and table are. @param {Way} way @param {Stage} stage @param {Level["table"]} [table] */
export function widths({ place, share }, { room, edge, gap, tables }, table) {
  const inner = Math.max(1, room.width * share - edge.width);
  if (place === "beside" || !tables || table === "none") return { words: inner, table: inner };
  return { words: inner * (1 - TABLE) - gap, table: inner * TABLE };
}

/** One way at one level. @param {Way} way @param {Level} level @param {Tall} tall @param {Stage} stage
 * @returns {Arrangement} */
export function placed(way, level, tall, { room, units, frame, most, edge, gap, tables }) {
  const table = tables && level.table !== "none" ? tall[level.table] : 0, beside = way.place === "beside";
  const under = beside && table ? gap + table : 0, need = edge.height + Math.max(tall.words + under, table);
  const limit = beside ? room.height : MOST * room.height, say = Math.min(need, limit);
  const width = room.width * (beside ? 1 - way.share : 1) - frame.width;
  const height = room.height - (beside ? 0 : say) - frame.height;
  const zoom = Math.max(FLOOR, Math.min(width / units.width, height / units.height, most));
  const picture = zoom * units.height + frame.height;
  return {
    ...way,
    ...level,
    zoom,
    height: Math.min(room.height, beside ? Math.max(picture, say) : picture + say),
    say,
    tall: Math.max(0, Math.min(tall.words, say - edge.height - under)),
    fits: need <= limit && !tall.cut,
  };
}

/** The first level at which the picture's smallest letters reach `least` px, in the way that makes them largest; where
 * none does, what makes them largest, to half a px; where the words fit nowhere, the last level and way, in which they
 * scroll.
 * @param {Level[]} levels @param {Stage} stage @param {number} least @param {(level: Level) => Tall[]} measure for each
 * of WAYS
 * @returns {Arrangement} */
export function arrange(levels, stage, least, measure) {
  /** @type {Arrangement[]} */ const all = [];
  for (const level of levels) {
    const tall = measure(level), here = WAYS.map((way, i) => placed(way, level, tall[i], stage));
    const best = largest(here);
    if (best && SMALLEST * best.zoom >= least) return best;
    all.push(...here);
  }
  return largest(all) ?? all[all.length - 1];
}

/** The first of those that fit with about the largest picture. @param {Arrangement[]} ways */
function largest(ways) {
  const fitting = ways.filter(({ fits }) => fits), rounded = fitting.map(({ zoom }) => Math.round(2 * SMALLEST * zoom));
  return /** @type {Arrangement | undefined} */ (fitting[rounded.indexOf(Math.max(...rounded))]);
}

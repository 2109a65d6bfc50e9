import { arrange, placed, SMALLEST, WAYS, widths } from "../../assets/arrange.js";
import { assert, equal } from "./assert.js";
import { draws } from "./draws.js";

/** @import { Level, Stage, Tall } from "../../assets/arrange.js" */

/** @type {Stage} */
const STAGE = {
  room: { width: 1338, height: 460 },
  units: { width: 1130, height: 408 },
  frame: { width: 24, height: 40 },
  most: Infinity,
  edge: { width: 40, height: 20 },
  gap: 28,
  tables: true,
};
/** @type {Level} */
const WHOLE = { type: 15, words: "all", table: "whole" };
/** @type {Level} */
const LEAST = { ...WHOLE, table: "least" };
/** @type {Level} */
const SMALL = { ...LEAST, type: 13 };

/** Words of so many letters: the narrower, the taller. @param {number} letters @param {number} [rows] of the table
 * @returns {(level: Level) => Tall[]} */
const telling = (letters, rows = 4) => ({ type }) =>
  WAYS.map((way) => ({
    words: Math.ceil(letters * type / 2 / widths(way, STAGE).words) * type * 1.45,
    whole: (rows + 1) * 2 * type,
    least: 3 * 2 * type,
    cut: false,
  }));

Deno.test("a flat picture has its words below it, a tall one beside it", () => {
  const flat = { ...STAGE, units: { width: 1130, height: 320 } },
    tall = { ...STAGE, units: { width: 960, height: 620 } };
  equal(arrange([WHOLE], flat, 11, telling(200, 2)).place, "below");
  equal(arrange([WHOLE], tall, 11, telling(200, 2)).place, "beside");
});

Deno.test("whatever is chosen, picture and words fill no more than the room, and nothing better was left out", () => {
  const draw = draws(7);
  for (let i = 0; i < 2000; i += 1) {
    const stage = {
      ...STAGE,
      room: { width: 700 + draw(1900), height: 300 + draw(1100) },
      units: { width: 400 + draw(900), height: 200 + draw(500) },
      tables: draw(4) > 0,
    };
    const measure = telling(draw(900), draw(9)), levels = [WHOLE, LEAST, SMALL], least = 9 + draw(6);
    const found = arrange(levels, stage, least, measure), { place, share, zoom, say, height, fits } = found;
    const here = JSON.stringify({ stage, found });
    const wide = stage.room.width * (place === "beside" ? 1 - share : 1);
    assert(height <= stage.room.height && say <= stage.room.height, here);
    if (zoom * SMALLEST > 8) { // else it scrolls in its box
      assert(zoom * stage.units.width + stage.frame.width <= wide + 1e-6, here);
      const below = place === "below" ? say : 0;
      assert(zoom * stage.units.height + stage.frame.height + below <= stage.room.height + 1e-6, here);
    }
    const tried = levels.map((level) => WAYS.map((way, j) => placed(way, level, measure(level)[j], stage)));
    const fitting = tried.flat().filter((way) => way.fits);
    assert(fits || fitting.length === 0, here);
    const legible = tried.findIndex((ways) => ways.some((way) => way.fits && way.zoom * SMALLEST >= least + 0.5));
    if (legible >= 0) {
      assert(
        levels.indexOf(levels.find(({ type, table }) => type === found.type && table === found.table) ?? WHOLE) <=
          legible,
        here,
      );
    } else assert(fitting.every((way) => way.zoom * SMALLEST < zoom * SMALLEST + 0.5), here);
  }
});

Deno.test("the small table scrolls, and the type gets smaller, only where the letters would be too small", () => {
  const levels = [WHOLE, LEAST, SMALL], measure = telling(700, 11);
  const at = (/** @type {number} */ height) => {
    const { type, table } = arrange(levels, { ...STAGE, room: { width: 1338, height } }, 11, measure);
    return `${type} ${table}`;
  };
  equal([at(820), at(600), at(450)], ["15 whole", "15 least", "13 least"]);
});

Deno.test("a column too narrow for the table is not taken, however large the picture would be in it", () => {
  const tall = { ...STAGE, units: { width: 960, height: 620 } }, free = telling(200, 2);
  const share = (/** @type {(level: Level) => Tall[]} */ measure) => arrange([WHOLE], tall, 99, measure).share;
  const wide = (/** @type {Level} */ level) => free(level).map((one, i) => ({ ...one, cut: WAYS[i].share < 0.34 }));
  equal([share(free), share(wide)], [0.26, 0.34]);
});

Deno.test("where the words fit nowhere they scroll beside the picture, in the widest column, as tall as the room", () => {
  const found = arrange([WHOLE, SMALL], STAGE, 11, telling(9000));
  equal([found.place, found.share, found.type, found.fits, found.say], ["beside", 0.38, 13, false, 460]);
  assert(found.tall > 0 && found.tall + STAGE.gap + 3 * 2 * 13 + STAGE.edge.height <= 460, String(found.tall));
});

Deno.test("a player that need not fill the window takes what it needs, and enlarges its picture only so far", () => {
  const stage = { ...STAGE, units: { width: 500, height: 120 }, most: 1.25 };
  const { zoom, height, say } = arrange([WHOLE], stage, 11, telling(100, 1));
  equal(zoom, 1.25);
  equal(height, 1.25 * 120 + 40 + say);
});

Deno.test("without tables the words have the whole width below", () => {
  equal(widths(WAYS[0], { ...STAGE, tables: false }).words, 1298);
  assert(widths(WAYS[0], STAGE).words + widths(WAYS[0], STAGE).table + STAGE.gap === 1298);
});

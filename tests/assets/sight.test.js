import { around, legible, readable, scrollTo, stageLevels, wallLevels, within } from "../../assets/sight.js";
import { assert, equal } from "./assert.js";
import { draws } from "./draws.js";

const box = (
  /** @type {number} */ left,
  /** @type {number} */ top,
  /** @type {number} */ width,
  /** @type {number} */ height,
) => ({ left, top, width, height, right: left + width, bottom: top + height });

Deno.test("letters for the back row grow with the window, and never are smaller than 14 px", () => {
  equal(readable(1080), 16);
  equal(readable(2160), 32);
  equal(readable(600), 14);
});

Deno.test("a stage tries smaller type first, then tables that scroll, and never letters below the bound", () => {
  for (const [width, height, least] of [[1366, 650, 12.6], [1280, 800, 14.2], [2560, 1440, 14.2]]) {
    const levels = stageLevels({ width, height }), types = levels.map(({ type }) => type);
    equal(levels.map(({ table }) => table), ["whole", "whole", "least", "least", "least"]);
    assert(types[0] >= types[1] && types[3] >= types[4] && Math.min(...types) >= least, String(types));
  }
});

Deno.test("the bound for letters is higher where the window is at least 1280 × 800", () => {
  equal(
    [[1366, 650], [1280, 720], [1279, 900], [1280, 800], [1920, 1080]].map(([width, height]) =>
      legible({ width, height })
    ),
    [11, 11, 11, 13, 13],
  );
});

Deno.test("type gets smaller before anything is left out, and the largest type comes first", () => {
  const levels = wallLevels(10), kinds = levels.map(({ words, table }) => `${words} ${table}`);
  equal(levels.slice(0, 5).map(({ type }) => type), [30, 27.5, 25, 22, 20]);
  equal([...new Set(kinds)], ["all whole", "all none", "head none"]);
});

Deno.test("a presenter who wants the whole text, or a larger figure, gets nothing else", () => {
  equal([...new Set(wallLevels(10, true).map(({ words }) => words))], ["all"]);
  equal([...new Set(wallLevels(10, false).map(({ words }) => words))], ["head"]);
});

Deno.test("what is in sight is not scrolled to", () => {
  equal(scrollTo(box(0, 0, 100, 100), [box(10, 10, 20, 20), box(80, 80, 20, 20)]), { left: 0, top: 0 });
});

Deno.test("what is out of sight comes to the middle, one way or both", () => {
  equal(scrollTo(box(0, 0, 100, 100), [box(140, 10, 20, 20)]), { left: 100, top: 0 });
  equal(scrollTo(box(50, 50, 100, 100), [box(0, 0, 20, 20)]), { left: -90, top: -90 });
});

Deno.test("of what does not fit the first is scrolled to", () => {
  equal(scrollTo(box(0, 0, 100, 100), [box(150, 0, 20, 20), box(900, 0, 20, 20)]), { left: 110, top: 0 });
});

Deno.test("after scrolling whatever fits is in sight, wherever it was", () => {
  const draw = draws(5), frame = box(10, 20, 300, 200);
  for (let i = 0; i < 500; i += 1) {
    const all = Array.from(
      { length: 1 + draw(3) },
      () => box(draw(900) - 300, draw(900) - 300, 1 + draw(60), 1 + draw(60)),
    );
    const whole = around(all), { left, top } = scrollTo(frame, all);
    const fits = whole.right - whole.left <= frame.width && whole.bottom - whole.top <= frame.height;
    const seen = fits ? whole : all[0];
    assert(seen.left - left >= frame.left && seen.right - left <= frame.right, JSON.stringify(all));
    assert(seen.top - top >= frame.top && seen.bottom - top <= frame.bottom, JSON.stringify(all));
  }
});

Deno.test("a frame lies where its shape does, whatever the zoom and the scrolling", () => {
  const shape = { x: 2, y: 3, width: 40, height: 20 }, moved = { e: 8, f: 7 };
  equal(within(shape, moved, 1, { left: 0, top: 0 }, { left: 0, top: 0 }), {
    left: 10,
    top: 10,
    width: 40,
    height: 20,
  });
  equal(within(shape, moved, 2, { left: 5, top: 6 }, { left: -100, top: 1 }), {
    left: 125,
    top: 25,
    width: 80,
    height: 40,
  });
});

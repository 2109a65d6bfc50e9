import { around, attempts, letters, readable, scrollTo, within } from "../../assets/sight.js";
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

Deno.test("a picture's letters shrink with the side that is short", () => {
  equal(letters({ width: 800, height: 400 }, { width: 800, height: 400 }), 13);
  equal(letters({ width: 400, height: 400 }, { width: 800, height: 400 }), 6.5);
  equal(letters({ width: 1600, height: 1600 }, { width: 800, height: 400 }), 26);
});

Deno.test("type gets smaller before anything is left out, and the largest type comes first", () => {
  const tried = attempts().map(({ lean, size }) => `${lean} ${size}`);
  equal(tried.length, 16);
  equal(tried.slice(0, 6), ["whole 0", "whole 1", "whole 2", "whole 3", "whole 4", "sentence 0"]);
  equal(tried.slice(-2), ["figure 4", "scrolled 4"]);
});

Deno.test("a presenter who wants the whole text, or a larger figure, gets nothing else", () => {
  equal([...new Set(attempts(true).map(({ lean }) => lean))], ["whole"]);
  equal([...new Set(attempts(false).map(({ lean }) => lean))], ["sentence", "figure", "scrolled"]);
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

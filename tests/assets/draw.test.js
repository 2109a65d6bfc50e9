import { draw, morph } from "../../assets/draw.js";
import { equal, same } from "./assert.js";
import { done, Element, Text } from "./dom.js";
import { draws } from "./draws.js";

/** @param {(n: number) => number} draw @param {number} depth @returns {any} */
function tree(draw, depth) {
  if (draw(4) === 0) return new Text(["a", "b", ""][draw(3)]);
  const names = ["x", "y", "class"].filter(() => draw(2));
  const children = Array.from({ length: depth ? draw(4) : 0 }, () => tree(draw, depth - 1));
  return new Element(
    ["g", "rect"][draw(2)],
    Object.fromEntries(names.map((name) => [name, String(draw(3))])),
    children,
  );
}

/** @param {string} key @param {string} said @returns {any} */
const group = (key, said) =>
  new Element("g", { "data-key": key }, [new Element("text", { x: said }, [new Text(said)])]);

/** What a list of groups looks like once it is drawn over another.
 * @param {string[]} first @param {string[]} then @param {boolean} moves */
function drawn(first, then, moves) {
  /** @type {any} */ const svg = new Element("svg");
  if (moves) svg.moveBefore = svg.insertBefore;
  draw(svg, first.map((key) => group(key, key)));
  const before = new Map(svg.children.map((/** @type {any} */ node) => [node.dataset.key, node]));
  draw(svg, then.map((key) => group(key, `${key}2`)));
  for (const node of svg.children) if (before.has(node.dataset.key)) same(node, before.get(node.dataset.key));
  return svg.childNodes.map(String);
}

Deno.test("a random tree becomes equal to another, which stays as it was", () => {
  const draw = draws(2);
  for (let i = 0; i < 500; i += 1) {
    const now = tree(draw, 3), then = tree(draw, 3), wanted = String(then);
    const root = new Element("svg", {}, [now]), node = morph(now, then);
    equal(String(node), wanted);
    equal(String(root.firstChild), wanted);
    equal(root.childNodes.length, 1);
    equal(String(then), wanted);
    if (now instanceof Element && now.nodeName === then.nodeName) same(node, now);
  }
});

Deno.test("what is equal already is not touched", () => {
  const draw = draws(3);
  for (let i = 0; i < 100; i += 1) {
    const now = tree(draw, 3), then = now.cloneNode();
    done.writes = 0;
    same(morph(now, then), now);
    equal(done.writes, 0);
  }
});

Deno.test("only the attribute that differs is written", () => {
  const now = group("a", "1"), then = group("a", "1");
  then.setAttribute("class", "new");
  now.setAttribute("class", "old");
  done.writes = 0;
  morph(now, then);
  equal(done.writes, 1);
});

Deno.test("groups keep their node by key, in the new order, and no others stay", () => {
  const draw = draws(4), keys = [..."abcdefgh"];
  const some = () => keys.filter(() => draw(3)).sort(() => draw(3) - 1);
  for (let i = 0; i < 300; i += 1) {
    const first = some(), then = some();
    for (const moves of [true, false]) {
      equal(drawn(first, then, moves), then.map((key) => String(group(key, `${key}2`))));
    }
  }
});

Deno.test("a group that stays where it is is not moved", () => {
  /** @type {any} */ const svg = new Element("svg");
  draw(svg, [group("a", "1"), group("b", "1")]);
  const now = [group("a", "1"), group("b", "1"), group("c", "1")];
  done.writes = 0;
  draw(svg, now);
  equal(done.writes, 3); // c is copied, with two nodes below it, and put in: nothing else
});

/** Nodes from data. */

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

const shown = new WeakMap();

/** Replaces the children only when what they show has changed, so that focus and scrolling survive.
 * @template Item @param {Element} node @param {Item[]} items @param {(item: Item, i: number) => Node} build */
export function renew(node, items, build) {
  const text = JSON.stringify(items);
  if (shown.get(node) !== text) node.replaceChildren(...items.map(build));
  shown.set(node, text);
}

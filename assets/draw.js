/** The picture: only what differs is touched, so that transitions survive. */

/** @param {string} xml one group @returns {SVGElement} */
export const parseGroup = (xml) =>
  document.importNode(
    /** @type {SVGElement} */ (new DOMParser().parseFromString(
      `<svg xmlns="http://www.w3.org/2000/svg">${xml}</svg>`,
      "image/svg+xml",
    ).documentElement.firstElementChild),
    true,
  );

/** `now` made equal to `then`, keeping each node that can be kept, so that CSS animates it.
 * @param {ChildNode | undefined} now @param {ChildNode} then @returns {ChildNode} */
export function morph(now, then) {
  if (now?.isEqualNode(then)) return now;
  if (now?.nodeName !== then.nodeName || !isElement(now) || !isElement(then)) {
    const fresh = /** @type {ChildNode} */ (then.cloneNode(true));
    now?.replaceWith(fresh);
    return fresh;
  }
  const names = now.getAttributeNames();
  if (String(names) !== String(then.getAttributeNames())) names.forEach((name) => now.removeAttribute(name));
  for (const { name, value } of then.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  while (now.childNodes.length > then.childNodes.length) now.lastChild?.remove();
  then.childNodes.forEach((child, i) => {
    const node = morph(now.childNodes[i], child);
    if (!node.parentNode) now.append(node);
  });
  return now;
}

/** @param {ChildNode} node @returns {node is Element & ChildNode} */
const isElement = (node) => "attributes" in node;

/** Shows these groups and no others, each morphed from the one that has its data-key now.
 * @param {SVGSVGElement} svg @param {SVGElement[]} groups */
export function draw(svg, groups) {
  const before = new Map(childrenOf(svg).map((node) => [node.dataset.key, node]));
  const nodes = new Set(groups.map((then) => /** @type {SVGElement} */ (morph(before.get(then.dataset.key), then))));
  for (const node of childrenOf(svg)) if (!nodes.has(node)) node.remove();
  let cursor = svg.firstChild;
  for (const node of nodes) {
    if (node === cursor) cursor = cursor.nextSibling;
    else if (node.parentNode && svg.moveBefore) svg.moveBefore(node, cursor); // restarts no transition
    else svg.insertBefore(node, cursor);
  }
}

/** @param {SVGSVGElement} svg */
export const childrenOf = (svg) => /** @type {SVGElement[]} */ ([...svg.children]);

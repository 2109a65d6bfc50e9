/** From data to nodes: only what differs is touched, so that focus, scrolling and transitions survive. Goes before player.js in the same
    module. */

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Replaces the children only when what they show has changed, so that focus and scrolling survive. */
function renew(node, items, build) {
  const text = JSON.stringify(items);
  if (node.shows !== text) node.replaceChildren(...items.map(build));
  node.shows = text;
}

const parseGroup = (xml) => document.importNode(new DOMParser().parseFromString(
  `<svg xmlns="http://www.w3.org/2000/svg">${xml}</svg>`, "image/svg+xml").documentElement.firstElementChild, true);

/** `now` made equal to `then`, keeping each node that can be kept, so that CSS animates it. */
function morph(now, then) {
  if (now?.isEqualNode(then)) return now;
  if (now?.nodeName !== then.nodeName || !then.attributes) {
    const fresh = then.cloneNode(true);
    now?.replaceWith(fresh);
    return fresh;
  }
  const names = now.getAttributeNames();
  if (String(names) !== String(then.getAttributeNames())) names.forEach((name) => now.removeAttribute(name));
  for (const { name, value } of then.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  while (now.childNodes.length > then.childNodes.length) now.lastChild.remove();
  then.childNodes.forEach((child, i) => {
    const node = morph(now.childNodes[i], child);
    if (!node.parentNode) now.append(node);
  });
  return now;
}

/** Shows these groups and no others, each morphed from the one that has its data-key now. */
function draw(svg, groups) {
  const before = new Map([...svg.children].map((node) => [node.dataset.key, node]));
  const nodes = new Set(groups.map((then) => morph(before.get(then.dataset.key), then)));
  for (const node of [...svg.children]) if (!nodes.has(node)) node.remove();
  let cursor = svg.firstChild;
  for (const node of nodes) {
    if (node === cursor) cursor = cursor.nextSibling;
    else if (node.parentNode && svg.moveBefore) svg.moveBefore(node, cursor); // restarts no transition
    else svg.insertBefore(node, cursor);
  }
}

/** As much of a browser's tree as draw.js touches: nodes with names, attributes and children. It counts what is done to
 * them. */

export const done = { writes: 0 };

class Node {
  /** @type {Element | null} */ parentNode = null;

  /** @param {string} nodeName */
  constructor(nodeName) {
    this.nodeName = nodeName;
  }

  remove() {
    if (!this.parentNode) return;
    done.writes += 1;
    this.parentNode.childNodes.splice(this.parentNode.childNodes.indexOf(this), 1);
    this.parentNode = null;
  }

  /** @param {Node} fresh */
  replaceWith(fresh) {
    const parent = this.parentNode;
    if (!parent) return;
    parent.insertBefore(fresh, this);
    this.remove();
  }

  get nextSibling() {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  /** @param {Node} other @returns {boolean} */
  isEqualNode(other) {
    return String(this) === String(other);
  }
}

export class Text extends Node {
  /** @param {string} data */
  constructor(data) {
    super("#text");
    this.data = data;
  }

  cloneNode() {
    return new Text(this.data);
  }

  /** @override */
  toString() {
    return JSON.stringify(this.data);
  }
}

export class Element extends Node {
  /** @type {Node[]} */ childNodes = [];
  /** @type {Map<string, string>} */ names = new Map();

  /** @param {string} name @param {Record<string, string>} attributes @param {Node[]} children */
  constructor(name, attributes = {}, children = []) {
    super(name);
    this.names = new Map(Object.entries(attributes));
    for (const child of children) this.append(child);
  }

  get attributes() {
    return [...this.names].map(([name, value]) => ({ name, value }));
  }

  get dataset() {
    return { key: this.names.get("data-key") };
  }

  get children() {
    return this.childNodes.filter((child) => child instanceof Element);
  }

  get firstChild() {
    return this.childNodes[0] ?? null;
  }

  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }

  getAttributeNames() {
    return [...this.names.keys()];
  }

  /** @param {string} name */
  getAttribute(name) {
    return this.names.get(name) ?? null;
  }

  /** @param {string} name @param {string} value */
  setAttribute(name, value) {
    done.writes += 1;
    this.names.set(name, value);
  }

  /** @param {string} name */
  removeAttribute(name) {
    done.writes += 1;
    this.names.delete(name);
  }

  /** @param {Node} child */
  append(child) {
    this.insertBefore(child, null);
  }

  /** @param {Node} child @param {Node | null} before */
  insertBefore(child, before) {
    child.remove();
    done.writes += 1;
    this.childNodes.splice(before ? this.childNodes.indexOf(before) : this.childNodes.length, 0, child);
    child.parentNode = this;
  }

  /** @returns {Element} */
  cloneNode() {
    return new Element(
      this.nodeName,
      Object.fromEntries(this.names),
      this.childNodes.map((child) => /** @type {any} */ (child).cloneNode()),
    );
  }

  /** @override @returns {string} */
  toString() {
    return `${this.nodeName}${JSON.stringify([...this.names].sort())}(${this.childNodes.join()})`;
  }
}

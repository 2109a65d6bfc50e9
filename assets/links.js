/** Links that player and reader share: glossary terms, other pages of the app, the fragment of an address. */

/** A term's line in the note beside it. A term inside the note takes the note over, which stays where it is.
 * @param {HTMLElement} note @param {HTMLElement} term @param {Record<string, string>} glossary */
export function define(note, term, glossary) {
  const inside = note.contains(term);
  if (!inside) note.hidePopover();
  note.innerHTML = glossary[term.dataset.term ?? ""];
  if (inside) return note.focus({ preventScroll: true }); // the link that had it is gone
  note.onbeforetoggle = ({ newState }) => { // inside a shadow root the browser does not give the focus back
    const { activeElement } = /** @type {ShadowRoot} */ (note.getRootNode());
    if (newState === "closed" && note.contains(activeElement)) term.focus({ preventScroll: true });
  };
  note.showPopover({ source: term }); // beside which the CSS places it
}

/** The app's own link to the same page keeps the session; ours alone would load the page anew.
 * @param {MouseEvent} event @param {HTMLAnchorElement} link */
export function follow(event, link) {
  const own = appsLink(document.links, link.pathname);
  if (!own || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  own.click();
}

/** @template {{ pathname: string, target: string }} Link @param {Iterable<Link>} links @param {string} path */
export const appsLink = (links, path) => [...links].find(({ pathname, target }) => pathname === path && !target);

/** @type {string | null} */
let arrival = performance.getEntriesByType("navigation")[0]?.name ?? null;

/** The fragment of the link that opened this page, once: Streamlit may have changed the query, and dropped it, before
 * we came.
 * @param {string} pathname */
export function arrivedWith(pathname) {
  const fragment = fragmentOf(arrival, pathname);
  arrival = null;
  return fragment;
}

/** The fragment of an address, if it is one of this page. @param {string | null} address @param {string} pathname */
export function fragmentOf(address, pathname) {
  const { pathname: opened, hash } = new URL(address || "about:blank");
  return opened === pathname ? hash : "";
}

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

/** The app's own link to the same page keeps the session; ours alone would load the page anew. Says whether there is
 * one.
 * @param {HTMLAnchorElement} link */
export function follow(link) {
  const own = appsLink(document.links, link.pathname);
  own?.click();
  return own !== undefined;
}

/** Whether a click only opens a link, here. @param {MouseEvent} event */
export const opensHere = ({ ctrlKey, metaKey, shiftKey }) => !ctrlKey && !metaKey && !shiftKey;

/** @template {{ pathname: string, target: string }} Link @param {Iterable<Link>} links @param {string} path */
export const appsLink = (links, path) => [...links].find(({ pathname, target }) => pathname === path && !target);

const opened = performance.getEntriesByType("navigation")[0]?.name ?? null;
/** Parts of the link that opened this page, until they have been asked for: Streamlit may have changed the query, and
 * dropped the fragment, before we came. */
const left = new Set(["hash", "present"]);

/** The fragment of the link that opened this page, once. @param {string} pathname */
export const arrivedWith = (pathname) => left.delete("hash") ? fragmentOf(opened, pathname) : "";

/** Whether the link that opened this page wants it presented; once. @param {string} pathname */
export const opensPresenting = (pathname) => left.delete("present") && presents(opened, pathname);

/** The fragment of an address, if it is one of this page. @param {string | null} address @param {string} pathname */
export function fragmentOf(address, pathname) {
  const { pathname: path, hash } = new URL(address || "about:blank");
  return path === pathname ? hash : "";
}

/** @param {string | null} address @param {string} pathname */
export function presents(address, pathname) {
  const { pathname: path, searchParams } = new URL(address || "about:blank");
  return path === pathname && searchParams.get("present") === "1";
}

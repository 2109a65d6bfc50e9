/** Links that player and reader share: glossary terms, other pages of the app, the fragment of an address. Goes before either in its
    module. */

/** A term's line in the note beside it. A term inside the note takes the note over, which stays where it is. */
function define(note, term, glossary) {
  const inside = note.contains(term);
  if (!inside) note.hidePopover();
  note.innerHTML = glossary[term.dataset.term];
  if (inside) return note.focus({ preventScroll: true }); // the link that had it is gone
  note.onbeforetoggle = ({ newState }) => { // inside a shadow root the browser does not give the focus back
    if (newState === "closed" && note.contains(note.getRootNode().activeElement)) term.focus({ preventScroll: true });
  };
  note.showPopover({ source: term }); // beside which the CSS places it
}

/** The app's own link to the same page keeps the session; ours alone would load the page anew. */
function follow(event, link) {
  const own = [...document.links].find(({ pathname, target }) => pathname === link.pathname && !target);
  if (!own || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  own.click();
}

let arrival = performance.getEntriesByType("navigation")[0]?.name;

/** The fragment of the link that opened this page, once: Streamlit may have changed the query, and dropped it, before we came. */
function arrivedWith(pathname) {
  const { pathname: opened, hash } = new URL(arrival || "about:blank");
  arrival = null;
  return opened === pathname ? hash : "";
}


/** Paragraphs with glossary terms: a click or Enter on a term opens its line in a popover, beside which CSS places it; a link to a
    place among the paragraphs leads there. */
export default function ({ data, parentElement }) {
  let root = parentElement.querySelector(".reader");
  if (!root) {
    root = document.createElement("article");
    root.className = "player reader";
    root.innerHTML = '<div class="text"></div><div class="note" popover tabindex="-1"></div>';
    parentElement.append(root);
    const moved = () => (root.isConnected ? visit(root, location.hash) : removeEventListener("hashchange", moved));
    addEventListener("hashchange", moved);
  }
  const [text, note] = root.children;
  root.lang = data.lang;
  if (root.shown !== data.html) {
    const first = !root.shown;
    const fill = () => {
      text.innerHTML = root.shown = data.html;
      if (first) arrive(root, location.hash || arrivedWith(location.pathname));
    };
    // The first time after the player's first picture: a page of formulas must not delay it.
    first ? requestAnimationFrame(() => setTimeout(fill)) : fill();
  }
  root.style.backgroundColor = "var(--st-background-color, #fff)";
  const [r, g, b] = getComputedStyle(root).backgroundColor.match(/[\d.]+/g) ?? [255, 255, 255];
  root.dataset.theme = 0.299 * r + 0.587 * g + 0.114 * b > 128 ? "light" : "dark";
  root.onclick = (event) => {
    const term = event.target.closest(".term[data-term]"), link = event.target.closest("a");
    if (term) define(note, term, data.glossary);
    else if (link?.hash && link.hash === location.hash) visit(root, link.hash); // else the address changes, and that is heard
    else if (link?.matches(".page")) follow(event, link);
  };
}

/** In a shadow root the browser does not find the place itself. */
const placeOf = (root, hash) => (hash ? root.querySelector(`#${CSS.escape(hash.slice(1))}`) : null);

function visit(root, hash) {
  const place = placeOf(root, hash);
  place?.focus({ preventScroll: true });
  place?.scrollIntoView({ block: "start" });
}

/** As soon as the page no longer moves: what stands above may still be growing. */
function arrive(root, hash, top = null, tries = 25) {
  const now = placeOf(root, hash)?.getBoundingClientRect().top;
  if (now === top) visit(root, hash);
  else if (tries && now !== undefined) setTimeout(arrive, 120, root, hash, now, tries - 1);
}

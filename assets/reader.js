/** Paragraphs with glossary terms: a click or Enter on a term opens its line in a popover, beside which CSS places it. */
export default function ({ data, parentElement }) {
  let root = parentElement.querySelector(".reader");
  if (!root) {
    root = document.createElement("article");
    root.className = "player reader";
    root.innerHTML = '<div class="text"></div><div class="note" popover tabindex="-1"></div>';
    parentElement.append(root);
  }
  const [text, note] = root.children;
  root.lang = data.lang;
  if (root.shown !== data.html) {
    const fill = () => (text.innerHTML = root.shown = data.html);
    // The first time after the player's first picture: a page of formulas must not delay it.
    root.shown ? fill() : requestAnimationFrame(() => setTimeout(fill));
  }
  root.style.backgroundColor = "var(--st-background-color, #fff)";
  const [r, g, b] = getComputedStyle(root).backgroundColor.match(/[\d.]+/g) ?? [255, 255, 255];
  root.dataset.theme = 0.299 * r + 0.587 * g + 0.114 * b > 128 ? "light" : "dark";
  root.onclick = ({ target }) => {
    if (!target.matches(".term")) return;
    note.hidePopover();
    note.innerHTML = data.glossary[target.dataset.term];
    note.showPopover({ source: target });
  };
}

/** Scrolls to what a link leads to, once: as soon as it no longer moves, for what stands above it may still be growing. */
export default function ({ data, parentElement }) {
  const look = (top, tries) => {
    const target = document.querySelector(`.st-key-${data.to}`), now = target?.getBoundingClientRect().top ?? null;
    if (now !== null && now === top) target.scrollIntoView({ block: "start" });
    else if (tries) setTimeout(look, 120, now, tries - 1);
  };
  if (parentElement.brought !== data.for) look(null, 25);
  parentElement.brought = data.for;
}

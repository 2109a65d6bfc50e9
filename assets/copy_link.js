/** Copies a link to this page with another query string. */
export default function ({ data, parentElement }) {
  let button = parentElement.querySelector("button");
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.setAttribute("aria-live", "polite");
    button.onclick = () => copy(button);
    parentElement.append(button);
  }
  button.data = data;
  clearTimeout(button.timer);
  button.textContent = data.copy;
}

async function copy(button) {
  const { query, copied, refused, copy: name } = button.data;
  const { origin, pathname } = location;
  try {
    await navigator.clipboard.writeText(`${origin}${pathname}?${query}`);
    button.textContent = copied;
  } catch {
    button.textContent = refused; // only pages that were fetched safely may copy
  }
  button.timer = setTimeout(() => (button.textContent = name), 4000);
}

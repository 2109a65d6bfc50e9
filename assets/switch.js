/** A row of buttons of which one is pressed: the language switch, without a widget library. */
export default function ({ data, parentElement, setTriggerValue }) {
  let group = parentElement.querySelector(".switch");
  if (!group) {
    group = document.createElement("div");
    group.className = "switch";
    group.setAttribute("role", "group");
    parentElement.append(group);
  }
  group.ariaLabel = data.label;
  const shown = JSON.stringify(data.options);
  if (group.shown !== shown) {
    group.shown = shown;
    group.replaceChildren(...data.options.map(({ value, label, lang }) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: label, value, lang });
      button.onclick = () => group.choose(value);
      return button;
    }));
  }
  group.choose = (value) => setTriggerValue("choose", value);
  for (const button of group.children) button.ariaPressed = button.value === data.value;
}

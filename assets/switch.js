/** A row of buttons of which one is pressed: the language switch, without a widget library. */

/** @import { Component, Switch } from "./types.d.ts" */
import { el, renew } from "./el.js";

/** @typedef {{ group: HTMLElement, choose: (value: string) => void }} Own */

/** @param {Component<Switch, { switch: Own }>} component */
export default function ({ data, parentElement, setTriggerValue }) {
  if (!parentElement.switch) {
    const group = el("div", { class: "switch", role: "group" });
    parentElement.append(group);
    parentElement.switch = { group, choose: () => {} };
  }
  const own = parentElement.switch, { group } = own;
  group.ariaLabel = data.label;
  own.choose = (value) => setTriggerValue("choose", value); // also of buttons that are there already
  renew(group, data.options, ({ value, label, lang }) => {
    const button = el("button", { type: "button", value, lang }, label);
    button.onclick = () => own.choose(value);
    return button;
  });
  for (const button of group.querySelectorAll("button")) button.ariaPressed = String(button.value === data.value);
}

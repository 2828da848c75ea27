// Faces: a square with initials, in a colour that is the person's own.

import { h, icon } from "./dom.js";

const HUES = 8;

function hue(id) {
  let sum = 0;
  for (const letter of id || "") sum = (sum * 31 + letter.codePointAt(0)) % 9973;
  return sum % HUES;
}

const initials = (name) => name.split(/\s+/).filter((word) => /^\p{Lu}/u.test(word)).slice(0, 2).map((word) => word[0]).join("") || "?";

export function avatar(user, size = "") {
  if (user.is_bot) return h("span", { class: `avatar bot ${size}`, "aria-hidden": "true" }, icon("check"));
  return h("span", { class: `avatar hue-${hue(user.id)} ${size}`, "aria-hidden": "true" }, initials(user.name));
}

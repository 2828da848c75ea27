// Short notices at the bottom, read out by screen readers, and the log that says what came in.

import { h } from "./dom.js";

export function toast(text, isError = false) {
  const box = document.getElementById("toasts");
  const note = h("p", { class: isError ? "toast error" : "toast" }, text);
  box.append(note);
  setTimeout(() => note.remove(), 6000);
}

export function say(text) {
  const log = document.getElementById("said");
  log.append(h("p", {}, text));
  while (log.children.length > 20) log.firstChild.remove();
}

// Nothing that was said to one person is left for the next one.
export function hush() {
  document.getElementById("said").replaceChildren();
}

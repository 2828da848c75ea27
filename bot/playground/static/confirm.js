// Slack's confirmation dialog, and what both dialogs share.

import { h, newId } from "./dom.js";
import { plain, textObject } from "./text.js";

// Resolves to whether the person agreed.
export function confirmed(dialog) {
  return new Promise((resolve) => {
    const id = newId("confirm");
    const before = document.activeElement;
    const node = h("dialog", { class: "modal confirm", "aria-labelledby": id },
      h("h2", { id }, plain(dialog.title.text)),
      h("div", { class: "modal-body" }, textObject(dialog.text)),
      h("div", { class: "modal-foot" },
        h("button", { type: "button", class: "btn", onclick: () => done(false) }, plain(dialog.deny.text)),
        h("button", { type: "button", class: `btn ${dialog.style === "danger" ? "danger" : "primary"} filled`, onclick: () => done(true) }, plain(dialog.confirm.text))));
    const done = (agreed) => {
      node.close();
      node.remove();
      before?.focus?.();
      resolve(agreed);
    };
    node.addEventListener("cancel", (event) => {
      event.preventDefault();
      done(false);
    });
    document.body.append(node);
    node.showModal();
  });
}

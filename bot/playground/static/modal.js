// The modal on top of the person's stack, and the home tab: both are views.

import { h, icon, newId } from "./dom.js";
import { drawBlocks } from "./blocks.js";
import { collected, missing } from "./elements.js";
import { state } from "./state.js";
import { act } from "./wire.js";
import { words } from "./words.js";

const inputsOf = new Map();

function inputs(view) {
  if (!inputsOf.has(view.id)) inputsOf.set(view.id, new Map());
  return inputsOf.get(view.id);
}

let shown = null;

// Opens, redraws or closes the dialog, so that it is what the server says is on top.
export function showModal() {
  const view = state.pieces.get("modal");
  if (!view) {
    if (shown) shut();
    return;
  }
  const signature = JSON.stringify([view, words().skip]);
  if (shown?.signature === signature) return;
  const before = shown ? shown.before : document.activeElement;
  const focus = shown?.view.id === view.id ? document.activeElement?.dataset?.focus : null;
  const scrolled = shown?.view.id === view.id ? shown.node.querySelector(".modal-body").scrollTop : 0;
  const node = draw(view);
  shown?.node.close();
  shown?.node.remove();
  shown = { node, view, signature, before };
  document.body.append(node);
  node.showModal();
  node.querySelector(".modal-body").scrollTop = scrolled;
  const again = focus && [...node.querySelectorAll("[data-focus]")].find((e) => e.dataset.focus === focus);
  (again || node.querySelector("[aria-invalid]") || node.querySelector("[autofocus]") || node.querySelector(".modal-body input, .modal-body textarea, .modal-body select") || node.querySelector("h2")).focus();
}

function shut() {
  const { node, before } = shown;
  shown = null;
  node.close();
  node.remove();
  const back = before?.isConnected ? before : document.getElementById("composer");
  back?.focus();
}

function draw(view) {
  const id = newId("modal");
  const place = { where: "modal", view: view.id, inputs: inputs(view), blocks: view.blocks, errors: view.errors };
  const close = () => act({ act: "close", view: view.id });
  const general = Object.entries(view.errors).filter(([blockId]) => !view.blocks.some((b) => b.block_id === blockId)).map(([, text]) => text);
  const submit = async (event) => {
    event.preventDefault();
    const errors = missing(place);
    if (Object.keys(errors).length) {
      state.pieces.set("modal", { ...view, errors });
      showModal();
      return;
    }
    button.setAttribute("aria-busy", "true");
    await act({ act: "submit", view: view.id, state: collected(place) });
    button.removeAttribute("aria-busy");
  };
  const button = view.submit ? h("button", { type: "submit", class: "btn primary filled" }, view.submit) : null;
  const node = h("dialog", { class: "modal", "aria-labelledby": id },
    h("form", { novalidate: true, onsubmit: submit },
      h("div", { class: "modal-head" },
        view.depth > 1 ? h("button", { type: "button", class: "icon-btn back", "aria-label": words().previous, onclick: close }, icon("caret")) : null,
        h("h2", { id, tabindex: -1 }, view.title),
        h("button", { type: "button", class: "icon-btn", "aria-label": words().close, onclick: close }, icon("close"))),
      h("div", { class: "modal-body", tabindex: 0, role: "group", "aria-labelledby": id }, general.map((text) => h("p", { class: "error", role: "alert" }, icon("warn"), " ", text)), drawBlocks(view.blocks, place)),
      h("div", { class: "modal-foot" }, h("button", { type: "button", class: "btn", onclick: close }, view.close || (view.submit ? words().cancel : words().close)), button)));
  node.addEventListener("cancel", (event) => {
    event.preventDefault();
    if (event.target === node) close();
  });
  return node;
}

// -- the home tab

let home = { signature: "", node: null };

export function drawHome() {
  const view = state.pieces.get("home");
  const signature = JSON.stringify([view, words().skip, state.me]);
  if (home.signature === signature) return home.node;
  const focus = document.activeElement?.dataset?.focus;
  const place = view && { where: "home", view: view.id, inputs: inputs(view), blocks: view.blocks };
  const node = h("div", { class: "home scroll", tabindex: 0, role: "region", "aria-label": words().home },
    h("div", { class: "home-inside" }, view ? drawBlocks(view.blocks, place) : h("p", { class: "quiet" }, words().noHome)));
  if (home.node?.isConnected) home.node.replaceWith(node);
  home = { signature, node };
  if (focus) [...node.querySelectorAll("[data-focus]")].find((e) => e.dataset.focus === focus)?.focus();
  return node;
}

// Messages: who, when, blocks, streams, reactions, threads; and lists of them that change without losing the focus.

import { h, icon } from "./dom.js";
import { drawBlocks, plan } from "./blocks.js";
import { emoji, OFFERED } from "./emoji.js";
import { richText, wordsOf } from "./text.js";
import { state } from "./state.js";
import { act } from "./wire.js";
import { locale, words } from "./words.js";
import { avatar } from "./people.js";

const inputsOf = new Map();
const timeOf = (ts) => new Date(Number(ts) * 1000);
const clock = (ts) => new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" }).format(timeOf(ts));

// -- one message

export function drawMessage(message, { compact, pane }) {
  const author = message.username ? { ...state.user(message.user), name: message.username } : state.user(message.user);
  const time = h("time", { datetime: timeOf(message.ts).toISOString() }, clock(message.ts));
  const head = h("p", { class: "head" },
    h("span", { class: "author" }, author.name), message.is_app && h("span", { class: "badge" }, words().app),
    author.is_guest && h("span", { class: "badge quiet" }, words().guest), time);
  return h("article", {
    id: pane === "main" ? `m-${message.ts}` : null, class: `message${compact ? " compact" : ""}${message.ephemeral ? " ephemeral" : ""}`,
    tabindex: -1, dataset: { ts: message.ts }, "aria-label": `${author.name}, ${clock(message.ts)}`,
  },
  message.ephemeral && h("p", { class: "only-you" }, icon("eye"), " ", words().onlyYou),
  compact ? h("div", { class: "gutter" }, time) : avatar(author),
  h("div", { class: "body" }, !compact && head, body(message), foot(message, pane)),
  tools(message, pane));
}

function body(message) {
  const key = `${message.channel}/${message.ts}`;
  if (!inputsOf.has(key)) inputsOf.set(key, new Map());
  const place = { where: "message", channel: message.channel, ts: message.ts, inputs: inputsOf.get(key), blocks: message.blocks };
  const parts = [];
  const stream = message.stream;
  if (stream) {
    if (stream.tasks.length) parts.push(plan(stream.title, stream.tasks));
    parts.push(h("div", { class: "block markdown" }, richText(stream.elements, tableOf)));
  }
  parts.push(drawBlocks(message.blocks, place));
  if (!message.blocks.length && !stream?.elements.length) parts.push(h("div", { class: "block" }, richText(message.text)));
  for (const each of message.attachments) parts.push(attachment(each, place));
  if (message.edited) parts.push(h("span", { class: "edited" }, ` ${words().edited}`));
  if (stream?.state === "in_progress") parts.push(h("p", { class: "writing" }, dots(), words().streaming));
  if (stream?.state === "stopped") parts.push(h("p", { class: "writing" }, icon("stop"), " ", words().stopped));
  return h("div", { class: "blocks" }, parts);
}

const tableOf = (t) => drawBlocks([{ ...t, type: "table" }], {})[0];

function attachment(each, place) {
  return h("div", { class: "attachment" }, each.title && h("p", { class: "title" }, each.title), each.text && h("p", {}, each.text), drawBlocks(each.blocks, place));
}

export const dots = () => h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));

function foot(message, pane) {
  const parts = [];
  if (message.reactions.length) {
    parts.push(h("div", { class: "reactions" }, message.reactions.map((r) =>
      h("button", { type: "button", class: r.users.includes(state.me) ? "reaction mine" : "reaction", "aria-label": `:${r.name}: ${r.users.map((u) => state.user(u).name).join(", ")}`, onclick: () => react(message, r.name) }, emoji(r.name), " ", String(r.count)))));
  }
  if (pane === "main" && message.replies && !message.in_thread) {
    const label = words().replies(message.replies);
    parts.push(h("button", { type: "button", class: "replies", dataset: { focus: "replies" }, onclick: () => state.go(message.channel, message.ts) },
      message.reply_users.slice(0, 3).map((u) => avatar(state.user(u), "tiny")), h("b", {}, label), h("span", { class: "last" }, `${words().lastReply} ${clock(message.latest_reply)}`)));
  }
  if (pane === "main" && message.broadcast) parts.push(h("p", { class: "broadcast" }, icon("thread"), " ", words().alsoSent));
  return parts;
}

const react = (message, name) => act({ act: "react", channel: message.channel, ts: message.ts, name });

// -- what one can do with a message: shown on hover, and when the focus is inside

function tools(message, pane) {
  if (message.ephemeral) return null;
  const button = (name, label, onclick, extra = {}) => h("button", { type: "button", class: "icon-btn", "aria-label": label, title: label, dataset: { focus: `tool-${name}` }, onclick, ...extra }, icon(name));
  const picker = h("div", { class: "menu emoji-menu", popover: "auto", role: "group", "aria-label": words().addReaction },
    OFFERED.map((name) => h("button", { type: "button", class: "icon-btn", onclick: () => { picker.hidePopover(); react(message, name); } }, emoji(name))));
  const opener = button("smile", words().addReaction, () => {
    const box = opener.getBoundingClientRect();
    picker.style.setProperty("top", `${box.bottom + 4}px`);
    picker.style.setProperty("left", `${Math.max(8, box.right - 240)}px`);
    picker.togglePopover();
    picker.querySelector("button")?.focus();
  });
  const mine = message.user === state.me;
  return h("div", { class: "tools", role: "group", "aria-label": words().more }, opener,
    pane === "main" && button("thread", words().replyInThread, () => state.go(message.channel, message.thread_ts || message.ts)),
    mine && button("edit", words().edit, (event) => edit(message, event.currentTarget.closest("article"))),
    mine && button("trash", words().delete, () => act({ act: "delete", channel: message.channel, ts: message.ts })),
    picker);
}

function edit(message, node) {
  const area = h("textarea", { class: "field", rows: 2, "aria-label": words().edit, value: handles(message) });
  const form = h("form", { class: "editing", onsubmit: async (event) => {
    event.preventDefault();
    if (area.value.trim()) await act({ act: "edit", channel: message.channel, ts: message.ts, text: area.value });
  } }, area, h("div", {}, h("button", { type: "button", class: "btn", onclick: () => state.changed({ redraw: message.ts }) }, words().cancel), h("button", { type: "submit", class: "btn primary filled" }, words().save)));
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); }
    if (event.key === "Escape") { event.stopPropagation(); state.changed({ redraw: message.ts }); }
  });
  node.querySelector(".blocks").replaceChildren(form);
  area.focus();
}

// A message's text as it was typed: mentions by their handles.
function handles(message) {
  return message.raw
    .replace(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g, (_, id) => `@${state.user(id).handle}`)
    .replace(/<#([A-Z0-9]+)(?:\|[^>]*)?>/g, (_, id) => `#${state.channelName(id)}`)
    .replace(/<([^>|]+)(?:\|[^>]*)?>/g, "$1")
    .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}

// -- a list of messages that keeps what has not changed

const NEAR = 80;

export class MessageList {
  constructor(pane) {
    this.pane = pane;
    this.drawn = new Map();
    this.key = "";
    this.items = h("ol", { class: "list" });
    this.status = h("div", { class: "status-line" });
    this.node = h("div", { class: "scroll", tabindex: 0, role: "region" }, this.items, this.status);
    this.node.addEventListener("keydown", (event) => this.walk(event));
    // Whoever reads the end stays at the end, when messages come and when the window or the pane changes its size.
    this.isAtEnd = true;
    this.node.addEventListener("scroll", () => {
      this.isAtEnd = this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < NEAR;
    });
    new ResizeObserver(() => { if (this.isAtEnd) this.end(); }).observe(this.node);
  }

  end() {
    this.node.scrollTop = this.node.scrollHeight;
    this.isAtEnd = true;
  }

  show(key, label, messages, { before, status, redraw } = {}) {
    const isNew = this.key !== key;
    if (isNew) this.clear();
    this.key = key;
    const stick = isNew || this.isAtEnd;
    this.node.setAttribute("aria-label", label);
    const focus = this.remember();
    const wanted = [];
    if (before) wanted.push(["before", JSON.stringify([before.key, words().skip]), () => h("li", { class: "before" }, before.draw())]);
    let last = null;
    for (const message of messages) {
      const compact = last && last.user === message.user && !message.ephemeral && !last.ephemeral && Number(message.ts) - Number(last.ts) < 300 && !last.replies && last.username === message.username;
      const again = redraw === message.ts ? Math.random() : 0;
      wanted.push([message.ts, JSON.stringify([message, compact, words().skip, again]), () => h("li", {}, drawMessage(message, { compact, pane: this.pane }))]);
      last = message;
    }
    this.reconcile(wanted);
    this.status.replaceChildren(...(status ? [statusLine(status)] : []));
    this.restore(focus);
    if (stick) this.end();
  }

  clear() {
    this.drawn.clear();
    this.items.replaceChildren();
    this.status.replaceChildren();
    this.key = "";
  }

  reconcile(wanted) {
    const keep = new Set(wanted.map(([key]) => key));
    for (const [key, { node }] of this.drawn) if (!keep.has(key)) { node.remove(); this.drawn.delete(key); }
    let at = this.items.firstChild;
    for (const [key, signature, draw] of wanted) {
      const now = this.drawn.get(key);
      let node = now?.node;
      if (!now || now.signature !== signature) {
        node = draw();
        const rewritten = now?.node;
        if (rewritten) {
          keepOpen(rewritten, node);
          if (at === rewritten) at = rewritten.nextSibling;
          rewritten.replaceWith(node);
        } else this.items.insertBefore(node, at);
        this.drawn.set(key, { node, signature });
      } else if (node !== at) this.items.insertBefore(node, at);
      else at = at.nextSibling;
    }
  }

  remember() {
    const active = document.activeElement;
    const article = active?.closest?.("article");
    if (!article || !this.node.contains(article)) return null;
    return { ts: article.dataset.ts, focus: active.dataset.focus };
  }

  restore(focus) {
    if (!focus || this.node.contains(document.activeElement)) return;
    const article = this.items.querySelector(`article[data-ts="${focus.ts}"]`);
    const same = focus.focus && [...(article?.querySelectorAll("[data-focus]") || [])].find((e) => e.dataset.focus === focus.focus);
    (same || article || this.node).focus({ preventScroll: true });
  }

  // Arrow keys go from message to message when the list itself, or a message, has the focus.
  walk(event) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const article = event.target.closest("article");
    if (!move || (event.target !== this.node && event.target !== article)) return;
    const all = [...this.items.querySelectorAll("article")];
    const next = article ? all[all.indexOf(article) + move] : all[move > 0 ? 0 : all.length - 1];
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }
}

function keepOpen(old, fresh) {
  const before = old.querySelectorAll("details.plan");
  fresh.querySelectorAll("details.plan").forEach((node, at) => { if (before[at]) node.open = before[at].open; });
}

function statusLine(status) {
  const name = state.user(state.workspace.bot).name;
  const text = status.loading.length ? status.loading[Math.floor(Date.now() / 2000) % status.loading.length] : status.text;
  return h("p", { class: "status" }, avatar(state.user(state.workspace.bot), "tiny"), dots(), h("span", {}, status.loading.length ? text : words().typing(name, text)));
}

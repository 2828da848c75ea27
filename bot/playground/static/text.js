// The inside of texts: the elements of rich_text, which mrkdwn and Markdown are parsed into as well.

import { h } from "./dom.js";
import { emoji } from "./emoji.js";
import { locale } from "./words.js";
import { state, follow } from "./state.js";

const STYLES = [["code", "code"], ["bold", "strong"], ["italic", "em"], ["strike", "s"], ["underline", "u"]];

function styled(node, style = {}) {
  return STYLES.reduce((inner, [name, tag]) => (style[name] ? h(tag, {}, inner) : inner), node);
}

export const safe = (url) => (/^(https?:|mailto:|tel:)/i.test(url || "") ? url : null);

export function link(url, label, attributes = {}) {
  const address = safe(url);
  if (!address) return h("span", { title: url }, label);
  return h(
    "a",
    { href: address, target: "_blank", rel: "noopener noreferrer", onclick: (event) => follow(event, address), ...attributes },
    label,
  );
}

const LEAVES = {
  text: (e) => styled(document.createTextNode(e.text), e.style),
  link: (e) => styled(link(e.url, e.text || e.url), e.style),
  emoji: (e) => emoji(e.name),
  user: (e) => styled(mention(`@${state.user(e.user_id).name}`, e.user_id === state.me), e.style),
  usergroup: (e) => styled(mention(`@${state.group(e.usergroup_id)}`), e.style),
  team: (e) => styled(mention(`@${e.team_id}`), e.style),
  channel: (e) => styled(channelLink(e.channel_id), e.style),
  broadcast: (e) => styled(mention(`@${e.range}`, true), e.style),
  color: (e) => h("span", { class: "color" }, e.value),
  date: (e) => styled(dateNode(e), e.style),
};

function mention(text, mine = false) {
  return h("span", { class: mine ? "mention mine" : "mention" }, text);
}

function channelLink(id) {
  const name = state.channelName(id);
  if (!state.channel(id)) return mention(`#${name}`);
  return h("button", { type: "button", class: "mention", onclick: () => state.go(id) }, `#${name}`);
}

export function leaves(elements = []) {
  return elements.map((element) => (LEAVES[element.type] ? LEAVES[element.type](element) : unknown(element.type)));
}

export function unknown(type) {
  return h("span", { class: "cannot" }, state.words.cannotDraw(type));
}

// -- dates: https://docs.slack.dev/messaging/formatting-message-text#date-formatting

const FORMATS = {
  date_num: { year: "numeric", month: "2-digit", day: "2-digit" },
  date: { year: "numeric", month: "long", day: "numeric" },
  date_short: { year: "numeric", month: "short", day: "numeric" },
  date_long: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  time: { hour: "numeric", minute: "2-digit" },
  time_secs: { hour: "numeric", minute: "2-digit", second: "2-digit" },
};

function dateNode(element) {
  const when = new Date(element.timestamp * 1000);
  const text = (element.format || "").replace(/\{(\w+)\}/g, (whole, token) => written(token, when) ?? whole);
  const shown = text.trim() || element.fallback || "";
  const time = h("time", { datetime: when.toISOString() }, shown);
  return element.url ? link(element.url, time) : time;
}

function written(token, when) {
  if (token === "ago") return ago(when);
  const plain = token.replace(/_pretty$/, "");
  if (!(plain in FORMATS)) return undefined;
  if (token !== plain) {
    const days = Math.round((midnight(when) - midnight(new Date())) / 86400000);
    if (Math.abs(days) <= 1) return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(days, "day");
  }
  return new Intl.DateTimeFormat(locale(), FORMATS[plain]).format(when);
}

const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

export function ago(when) {
  const seconds = (when.getTime() - Date.now()) / 1000;
  const [unit, size] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, s]) => Math.abs(seconds) >= s) || ["second", 1];
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

// -- rich text

const RICH = {
  rich_text_section: (e) => h("p", { class: "section" }, leaves(e.elements)),
  rich_text_preformatted: (e) => h("pre", { tabindex: 0 }, h("code", {}, leaves(e.elements))),
  rich_text_quote: (e) => h("blockquote", {}, leaves(e.elements)),
  heading: (e) => h("p", { class: `heading level-${e.level}`, role: "heading", "aria-level": Math.min(e.level + 2, 6) }, leaves(e.elements)),
  rule: () => h("hr"),
};

export function richText(elements = [], tables) {
  const out = [];
  for (let at = 0; at < elements.length; at++) {
    const element = elements[at];
    if (element.type === "rich_text_list") {
      const run = [element];
      while (elements[at + 1]?.type === "rich_text_list") run.push(elements[++at]);
      out.push(lists(run));
    } else if (element.type === "table" && tables) out.push(tables(element));
    else out.push(RICH[element.type] ? RICH[element.type](element) : unknown(element.type));
  }
  return out;
}

// Neighbouring lists of different indents are one nested list, as in Slack.
function lists(run) {
  const root = h("div", { class: "lists" });
  const open = [];
  for (const list of run) {
    const indent = list.indent || 0;
    while (open.length && open[open.length - 1].indent > indent) open.pop();
    const top = open[open.length - 1];
    let target = top && top.indent === indent && top.style === list.style ? top.node : null;
    if (!target) {
      if (top && top.indent === indent) open.pop();
      const parent = open[open.length - 1]?.node.lastElementChild || root;
      const ordered = list.style === "ordered";
      target = h(ordered ? "ol" : "ul", { class: `indent-${Math.min(indent, 8)}${list.border ? " bordered" : ""}`, start: ordered ? (list.offset || 0) + 1 : null });
      parent.append(target);
      open.push({ indent, style: list.style, node: target });
    }
    for (const item of list.elements) target.append(h("li", {}, leaves(item.elements)));
  }
  return root;
}

// -- text objects

export function textObject(object) {
  if (!object) return [];
  if (object.type === "mrkdwn") return richText(object.elements || []);
  return plain(object.text, object.emoji !== false);
}

export function plain(text = "", withEmoji = true) {
  if (!withEmoji) return [text];
  return text.split(/(:[a-z0-9_+'-]+:)/).map((part, at) => (at % 2 ? emoji(part.slice(1, -1)) : part));
}

// The words of a tree of elements, for labels.
export function wordsOf(value) {
  if (Array.isArray(value)) return value.map(wordsOf).join("");
  if (!value || typeof value !== "object") return "";
  if (value.type === "user") return `@${state.user(value.user_id).name}`;
  if (value.type === "emoji") return "";
  if (value.type === "link") return value.text || value.url;
  if (value.elements) return wordsOf(value.elements) + (value.type?.startsWith("rich_text_") ? " " : "");
  if (typeof value.text === "string") return value.text;
  return wordsOf(value.text);
}

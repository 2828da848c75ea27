// Blocks of Block Kit, each by its type; what is not known says so.

import { h, icon } from "./dom.js";
import { drawElement, input } from "./elements.js";
import { leaves, link, plain, richText, safe, textObject, wordsOf } from "./text.js";
import { state } from "./state.js";

// `place` says where the blocks stand: {where: "message"|"modal"|"home", channel, ts, view, inputs, errors}.
export function drawBlocks(blocks, place) {
  return (blocks || []).map((block) => drawBlock(block, place));
}

function drawBlock(block, place) {
  const draw = BLOCKS[block.type];
  const body = draw ? draw(block, place) : cannot(block.type);
  body.dataset.block = block.block_id || "";
  return body;
}

export function cannot(type) {
  return h("p", { class: "block cannot" }, icon("warn"), " ", state.words.cannotDraw(type));
}

const block = (kind, ...children) => h("div", { class: `block ${kind}` }, children);

const BLOCKS = {
  section(b, place) {
    const texts = [];
    if (b.text) texts.push(h("div", { class: "text" }, textObject(b.text)));
    if (b.fields) texts.push(h("div", { class: "fields" }, b.fields.map((field) => h("div", {}, textObject(field)))));
    const accessory = b.accessory && h("div", { class: "accessory" }, drawElement(b.accessory, b, place, wordsOf(b.text)));
    return block("section", h("div", { class: "texts" }, texts), accessory);
  },
  header: (b) => block("header", h("h3", {}, plain(b.text.text))),
  divider: () => h("hr", { class: "block divider" }),
  context: (b) => block("context", b.elements.map((e) => (e.type === "image" ? picture(e, "small") : h("div", { class: "text" }, textObject(e))))),
  actions: (b, place) => block("actions", b.elements.map((e) => drawElement(e, b, place))),
  context_actions: (b, place) => block("context-actions", b.elements.map((e) => drawElement(e, b, place))),
  image: (b) => block("image", b.title && h("p", { class: "caption" }, plain(b.title.text)), picture(b, "large")),
  markdown: (b) => block("markdown", richText(b.elements, (t) => table(t))),
  rich_text: (b) => block("rich-text", richText(b.elements)),
  table: (b) => block("table", table(b)),
  data_table: (b) => block("table", table(b, true)),
  input: (b, place) => input(b, place),
  plan: (b) => block("plan", plan(b.title, b.tasks || [])),
  task_card: (b) => block("plan", h("ol", { class: "tasks" }, task(b))),
  alert: (b) => block(`alert level-${b.level || "default"}`, icon("warn"), h("div", { class: "text" }, textObject(b.text))),
  card,
  carousel: (b, place) => h("div", { class: "block carousel", role: "group", tabindex: 0 }, b.elements.map((each) => card(each, place))),
  container(b, place) {
    const inside = b.child_blocks || b.blocks || b.elements || [];
    const title = b.title && h("p", { class: "title" }, textObject(b.title));
    return block("container", title, b.subtitle && h("p", { class: "subtitle" }, textObject(b.subtitle)), drawBlocks(inside, place));
  },
  video: (b) => block("video", h("p", { class: "title" }, link(b.title_url || b.video_url, plain(b.title.text))), b.description && h("p", {}, plain(b.description.text)), picture({ alt_text: b.alt_text }, "large")),
  file: (b) => block("file", h("p", {}, icon("thread"), " ", b.external_id || b.file_id || "file")),
};

function card(b, place) {
  return block(
    "card",
    b.hero_image && picture(b.hero_image, "large"),
    h("div", { class: "card-head" }, b.icon && picture(b.icon, "small"),
      h("div", {}, b.title && h("p", { class: "title" }, textObject(b.title)), b.subtitle && h("p", { class: "subtitle" }, textObject(b.subtitle)))),
    b.body && h("div", { class: "text" }, textObject(b.body)),
    b.actions && h("div", { class: "actions" }, b.actions.map((e) => drawElement(e, b, place))),
  );
}

// Nothing is fetched from outside: a picture is a frame with its alternative text.
export function picture(image, size) {
  const alt = image.alt_text || "";
  if (size === "small") return h("span", { class: "picture small", role: "img", "aria-label": alt || state.words.image, title: alt }, icon("eye"));
  const frame = h("div", { class: "picture large", role: "img", "aria-label": alt || state.words.image }, icon("eye"), h("span", { "aria-hidden": "true" }, alt || state.words.image));
  return safe(image.image_url) ? h("div", {}, frame) : frame;
}

function table(b, isData = false) {
  const settings = b.column_settings || [];
  const rows = b.rows || [];
  const cell = (tag, value, at, extra = {}) => {
    const setting = settings[at] || {};
    return h(tag, { class: `${setting.align ? `align-${setting.align}` : ""}${setting.is_wrapped ? " wrapped" : ""}`, ...extra }, cellInside(value));
  };
  const [head, ...body] = rows;
  const drawn = h("table", {},
    isData && b.caption && h("caption", {}, b.caption),
    head && h("thead", {}, h("tr", {}, head.map((value, at) => cell("th", value, at, { scope: "col" })))),
    h("tbody", {}, body.map((row) => h("tr", {}, row.map((value, at) => cell("td", value, at))))),
  );
  return h("div", { class: "table-frame", tabindex: 0, role: "region", "aria-label": b.caption || state.words.rows }, drawn);
}

function cellInside(value) {
  if (!value) return "";
  if (value.type === "raw_text") return value.text;
  if (value.type === "raw_number") return String(value.text ?? value.value);
  if (value.type === "rich_text") return value.elements.map((e) => leaves(e.elements));
  return state.words.cannotDraw(value.type);
}

// -- the agent's plan and tasks

export function plan(title, tasks) {
  const open = tasks.some((t) => t.status === "in_progress" || t.status === "error");
  const done = tasks.length > 0 && tasks.every((t) => t.status === "complete");
  return h("details", { class: "plan", open: true, dataset: { open } },
    h("summary", {}, mark(done ? "complete" : "in_progress"), h("span", {}, title || state.words.plan)),
    h("ol", { class: "tasks" }, tasks.map(task)));
}

function mark(status) {
  const label = state.words.task[status] || status;
  if (status === "complete") return h("span", { class: "mark complete" }, icon("check", label));
  if (status === "error") return h("span", { class: "mark error" }, icon("warn", label));
  return h("span", { class: `mark ${status}`, role: "img", "aria-label": label });
}

export function task(each) {
  const status = each.status || "pending";
  const rich = (value) => value && h("div", { class: "task-text" }, Array.isArray(value) ? richText(value, table) : richText(value.elements));
  return h("li", { class: `task ${status}` }, mark(status),
    h("div", {}, h("p", { class: "task-title" }, plain(each.title)), rich(each.details), rich(each.output),
      each.sources?.length ? h("p", { class: "task-sources" }, each.sources.map((s) => link(s.url, s.text, { class: "chip" }))) : null));
}

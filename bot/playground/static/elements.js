// Interactive elements: buttons, menus, inputs. Each press goes to the bot as Slack would send it.

import { h, icon, newId } from "./dom.js";
import { confirmed } from "./confirm.js";
import { picture } from "./blocks.js";
import { plain, safe, textObject, unknown, wordsOf } from "./text.js";
import { state } from "./state.js";
import { act } from "./wire.js";

// -- what inputs hold, kept outside of the elements so that a view that is drawn again keeps what was typed

const keyOf = (block, element) => `${block.block_id}\n${element.action_id}`;

function held(place, block, element, initial) {
  const key = keyOf(block, element);
  return place.inputs?.has(key) ? place.inputs.get(key) : initial;
}

function hold(place, block, element, value) {
  place.inputs?.set(keyOf(block, element), value);
}

export function collected(place) {
  const values = {};
  for (const [key, value] of place.inputs || []) {
    const [blockId, actionId] = key.split("\n");
    if (!place.blocks?.some((block) => block.block_id === blockId)) continue;
    (values[blockId] ||= {})[actionId] = value === "" ? null : value;
  }
  return values;
}

// -- pressing

async function press(element, block, place, value, control) {
  if (element.confirm && !(await confirmed(element.confirm))) return false;
  control?.setAttribute("aria-busy", "true");
  const answer = await act({
    act: "press", where: place.where, channel: place.channel, ts: place.ts,
    block_id: block.block_id, action_id: element.action_id, value, state: collected(place),
  });
  control?.removeAttribute("aria-busy");
  return answer !== null;
}

const focusKey = (block, element, part = "") => ({ focus: `${block.block_id}/${element.action_id}/${part}` });

// `label` names an element that has no words of its own.
export function drawElement(element, block, place, label = "") {
  const draw = ELEMENTS[element.type];
  if (!draw) return unknown(element.type);
  return draw(element, block, place, label || wordsOf(block.label) || element.placeholder?.text || element.action_id);
}

const sends = (block, element) => block.type !== "input" || block.dispatch_action === true || element.dispatch === true;

function changed(element, block, place, value, control) {
  hold(place, block, element, value);
  if (sends(block, element)) press(element, block, place, value, control);
}

const ELEMENTS = {
  button(e, block, place) {
    const button = h("button", {
      type: "button", class: `btn ${e.style || ""}`, "aria-label": e.accessibility_label || null, dataset: focusKey(block, e),
      onclick: async () => {
        const address = safe(e.url);
        if (address) window.open(address, "_blank", "noopener,noreferrer");
        await press(e, block, place, e.value ?? null, button);
      },
    }, plain(e.text.text));
    return button;
  },
  workflow_button: (e, block, place, label) => ELEMENTS.button(e, block, place, label),
  icon_button(e, block, place) {
    const known = e.icon === "trash" ? "trash" : "more";
    const button = h("button", { type: "button", class: "icon-btn", title: e.text.text, "aria-label": e.accessibility_label || e.text.text, dataset: focusKey(block, e), onclick: () => press(e, block, place, e.value ?? null, button) }, icon(known));
    return button;
  },
  feedback_buttons(e, block, place) {
    const choice = (name, shape) => {
      const one = e[name];
      const isOn = held(place, block, e, null) === one.value;
      const button = h("button", {
        type: "button", class: "feedback", title: one.text.text, "aria-label": one.accessibility_label || one.text.text,
        "aria-pressed": String(isOn), dataset: focusKey(block, e, name),
        onclick: async () => {
          if (!(await press(e, block, place, one.value, button))) return;
          hold(place, block, e, one.value);
          for (const each of button.parentElement.children) each.setAttribute("aria-pressed", String(each === button));
        },
      }, icon(shape));
      return button;
    };
    return h("div", { class: "feedbacks", role: "group" }, choice("positive_button", "up"), choice("negative_button", "down"));
  },
  overflow(e, block, place) {
    const id = newId("menu");
    const items = e.options.map((option) =>
      h("button", { type: "button", class: "menu-item", onclick: async () => {
        menu.hidePopover();
        const address = safe(option.url);
        if (address) window.open(address, "_blank", "noopener,noreferrer");
        await press(e, block, place, option.value, opener);
      } }, plain(option.text.text), option.description && h("span", { class: "description" }, plain(option.description.text))));
    const menu = h("div", { id, class: "menu", popover: "auto" }, items);
    const opener = h("button", { type: "button", class: "btn overflow", "aria-label": e.accessibility_label || state.words.more, "aria-haspopup": "true", "aria-expanded": "false", dataset: focusKey(block, e), onclick: () => {
      beside(menu, opener);
      menu.togglePopover();
    } }, icon("more"));
    menu.addEventListener("toggle", ({ newState }) => {
      opener.setAttribute("aria-expanded", String(newState === "open"));
      if (newState === "open") items[0]?.focus();
    });
    menu.addEventListener("keydown", (event) => step(event, items));
    return h("span", { class: "overflow-frame" }, opener, menu);
  },
  static_select: (e, block, place, label) => select(e, block, place, label, optionsOf(e), e.initial_option?.value),
  users_select: (e, block, place, label) => select(e, block, place, label, people(), e.initial_user),
  conversations_select: (e, block, place, label) => select(e, block, place, label, conversations(e.filter), e.initial_conversation ?? (e.default_to_current_conversation ? state.channelId : undefined)),
  channels_select: (e, block, place, label) => select(e, block, place, label, conversations({ include: ["public"] }), e.initial_channel),
  external_select: (e) => unknown(e.type),
  multi_static_select: (e, block, place, label) => several(e, block, place, label, optionsOf(e), e.initial_options?.map((o) => o.value)),
  multi_users_select: (e, block, place, label) => several(e, block, place, label, people(), e.initial_users),
  multi_conversations_select: (e, block, place, label) => several(e, block, place, label, conversations(e.filter), e.initial_conversations),
  multi_channels_select: (e, block, place, label) => several(e, block, place, label, conversations({ include: ["public"] }), e.initial_channels),
  radio_buttons: (e, block, place, label) => ticks(e, block, place, label, "radio", [held(place, block, e, e.initial_option?.value)]),
  checkboxes: (e, block, place, label) => ticks(e, block, place, label, "checkbox", held(place, block, e, e.initial_options?.map((o) => o.value) || [])),
  plain_text_input: (e, block, place, label) => typing(e, block, place, label, e.multiline ? "textarea" : "text"),
  email_text_input: (e, block, place, label) => typing(e, block, place, label, "email"),
  url_text_input: (e, block, place, label) => typing(e, block, place, label, "url"),
  number_input: (e, block, place, label) => typing(e, block, place, label, "number", { step: e.is_decimal_allowed ? "any" : 1, min: e.min_value, max: e.max_value }),
  rich_text_input: (e, block, place, label) => typing(e, block, place, label, "textarea"),
  datepicker: (e, block, place, label) => typing(e, block, place, label, "date", {}, e.initial_date),
  timepicker: (e, block, place, label) => typing(e, block, place, label, "time", {}, e.initial_time),
  datetimepicker: (e, block, place, label) => typing(e, block, place, label, "datetime-local", {}, e.initial_date_time),
  image: (e) => picture(e, "medium"),
};

function beside(menu, opener) {
  const box = opener.getBoundingClientRect();
  menu.style.setProperty("top", `${Math.min(box.bottom + 4, innerHeight - 200)}px`);
  menu.style.setProperty("left", `${Math.max(8, Math.min(box.left, innerWidth - 260))}px`);
}

export function step(event, items) {
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!move) return;
  event.preventDefault();
  const at = items.indexOf(document.activeElement);
  items[(at + move + items.length) % items.length].focus();
}

// -- menus

const optionsOf = (e) => (e.option_groups ? e.option_groups.map((g) => ({ label: g.label.text, options: g.options.map(asOption) })) : (e.options || []).map(asOption));
const asOption = (o) => ({ value: o.value, text: o.text.text, description: o.description?.text });
const people = () => Object.values(state.workspace.users).filter((u) => !u.is_bot).map((u) => ({ value: u.id, text: u.name })).sort((a, b) => a.text.localeCompare(b.text));

function conversations(filter = {}) {
  const wanted = filter?.include;
  const kinds = { channel: "public", group: "private", im: "im", mpim: "mpim" };
  return state.channels()
    .filter((c) => (!wanted || wanted.includes(kinds[c.kind])) && !(filter?.exclude_external_shared_channels && c.shared))
    .map((c) => ({ value: c.id, text: c.kind === "im" ? state.user(state.workspace.bot).name : `#${c.name}` }));
}

function select(e, block, place, label, options, initial) {
  const now = held(place, block, e, initial ?? "");
  if (initial !== undefined && !place.inputs?.has(keyOf(block, e))) hold(place, block, e, initial);
  const one = (o) => h("option", { value: o.value, selected: o.value === now }, o.text);
  const menu = h("select", { class: "select", "aria-label": block.type === "input" ? null : label, dataset: focusKey(block, e), onchange: () => changed(e, block, place, menu.value || null, menu) },
    h("option", { value: "", selected: !now }, e.placeholder?.text || state.words.choose),
    options.map((o) => (o.options ? h("optgroup", { label: o.label }, o.options.map(one)) : one(o))));
  return menu;
}

function several(e, block, place, label, options, initial = []) {
  const chosen = new Set(held(place, block, e, initial));
  hold(place, block, e, [...chosen]);
  const flat = options.flatMap((o) => o.options || o);
  const summary = h("summary", { class: "select", "aria-label": label, dataset: focusKey(block, e) });
  const retitle = () => {
    const names = flat.filter((o) => chosen.has(o.value)).map((o) => h("span", { class: "chip" }, o.text));
    summary.replaceChildren(...(names.length ? names : [e.placeholder?.text || state.words.chooseSeveral]));
  };
  const frame = h("details", { class: "several" }, summary, h("div", { role: "group", "aria-label": label, class: "options" },
    flat.map((o) => h("label", {}, h("input", { type: "checkbox", checked: chosen.has(o.value), onchange: ({ target }) => {
      if (target.checked && e.max_selected_items && chosen.size >= e.max_selected_items) { target.checked = false; return; }
      if (target.checked) chosen.add(o.value); else chosen.delete(o.value);
      hold(place, block, e, [...chosen]);
      frame.dataset.changed = "true";
      retitle();
    } }), h("span", {}, plain(o.text)), o.description && h("span", { class: "description" }, plain(o.description))))));
  frame.addEventListener("toggle", () => {
    if (!frame.open && frame.dataset.changed && sends(block, e)) press(e, block, place, [...chosen], summary);
    if (!frame.open) delete frame.dataset.changed;
  });
  frame.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !frame.open) return;
    event.preventDefault();
    event.stopPropagation();
    frame.open = false;
    summary.focus();
  });
  retitle();
  return frame;
}

function ticks(e, block, place, label, type, initial) {
  const name = newId("tick");
  const chosen = new Set(initial.filter((v) => v !== undefined && v !== null));
  hold(place, block, e, type === "radio" ? [...chosen][0] ?? null : [...chosen]);
  const frame = h("div", { role: type === "radio" ? "radiogroup" : "group", class: "ticks", "aria-label": label },
    e.options.map((o) => h("label", {}, h("input", { type, name, checked: chosen.has(o.value), dataset: focusKey(block, e, o.value), onchange: ({ target }) => {
      if (type === "radio") chosen.clear();
      if (target.checked) chosen.add(o.value); else chosen.delete(o.value);
      changed(e, block, place, type === "radio" ? o.value : [...chosen], target);
    } }), h("span", {}, textObject(o.text), o.description && h("span", { class: "description" }, textObject(o.description))))));
  return frame;
}

// -- typing

function typing(e, block, place, label, type, extra = {}, initial = e.initial_value) {
  const isArea = type === "textarea";
  const dates = type === "datetime-local";
  const shown = (value) => (dates && value ? new Date(value * 1000).toISOString().slice(0, 16) : value ?? "");
  const read = () => {
    if (e.type === "rich_text_input") return control.value ? { type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text", text: control.value }] }] } : null;
    if (dates) return control.value ? Math.floor(new Date(`${control.value}Z`).getTime() / 1000) : null;
    return control.value;
  };
  const when = e.dispatch_action_config?.trigger_actions_on || ["on_enter_pressed"];
  const now = held(place, block, e, initial);
  const control = h(isArea ? "textarea" : "input", {
    class: "field", type: isArea ? null : type, rows: isArea ? 4 : null, placeholder: e.placeholder?.text || null,
    maxlength: e.max_length || null, minlength: e.min_length || null, "aria-label": block.type === "input" ? null : label,
    value: e.type === "rich_text_input" ? wordsOf(now) : shown(now), dataset: focusKey(block, e), autocomplete: "off", ...extra,
    oninput: () => {
      hold(place, block, e, read());
      if (block.dispatch_action && when.includes("on_character_entered")) press(e, block, place, read(), null);
    },
    onchange: () => { if (type === "date" || type === "time" || dates) changed(e, block, place, read() || null, control); },
    onkeydown: (event) => {
      if (event.key === "Enter" && !isArea && block.dispatch_action && when.includes("on_enter_pressed")) {
        event.preventDefault();
        press(e, block, place, read(), control);
      }
    },
  });
  if (e.focus_on_load) control.setAttribute("autofocus", "");
  if (now !== undefined && now !== null) hold(place, block, e, now);
  return control;
}

// -- the input block: label, hint, error

export function input(b, place) {
  const id = newId("input");
  const inner = drawElement(b.element, b, place);
  const control = inner.matches?.("input, textarea, select") ? inner : null;
  const error = place.errors?.[b.block_id];
  const notes = [b.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const caption = [plain(b.label.text), b.optional ? h("span", { class: "optional" }, ` ${state.words.optional}`) : null];
  if (control) {
    control.id = id;
    if (notes) control.setAttribute("aria-describedby", notes);
    if (error) control.setAttribute("aria-invalid", "true");
    if (!b.optional) control.setAttribute("aria-required", "true");
  }
  return h("div", { class: `block input${error ? " wrong" : ""}` },
    h(control ? "label" : "p", { class: "label", for: control ? id : null }, caption),
    inner,
    error && h("p", { class: "error", id: `${id}-error` }, icon("warn"), " ", error),
    b.hint && h("p", { class: "hint", id: `${id}-hint` }, plain(b.hint.text)));
}

// What Slack's own client refuses to submit: required inputs that are empty, texts too short or too long.
export function missing(place) {
  const values = collected(place);
  const errors = {};
  for (const block of place.blocks) {
    if (block.type !== "input") continue;
    const value = values[block.block_id]?.[block.element.action_id];
    const isEmpty = value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);
    if (isEmpty && !block.optional) errors[block.block_id] = state.words.required;
    else if (typeof value === "string" && block.element.min_length > value.length) errors[block.block_id] = state.words.tooShort(block.element.min_length);
    else if (typeof value === "string" && block.element.max_length < value.length) errors[block.block_id] = state.words.tooLong(block.element.max_length);
  }
  return errors;
}

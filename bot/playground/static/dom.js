// Making elements. Text from outside only ever becomes text nodes: nothing here parses HTML.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name in PROPERTIES) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

const PROPERTIES = { value: true, checked: true, selected: true, disabled: true };

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

export function replaceChildren(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

const SVG = "http://www.w3.org/2000/svg";

// Small line icons, drawn here so that nothing is fetched.
const ICONS = {
  hash: "M9 4 7 20M17 4l-2 16M4 9h16M4 15h16",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  shared: "M9 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM23 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM9 12h6",
  home: "M4 11 12 4l8 7v9h-5v-6H9v6H4z",
  close: "M5 5l14 14M19 5 5 19",
  send: "M4 4l17 8-17 8 3-8z M7 12h8",
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5z",
  sun: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12 1v3M12 20v3M1 12h3M20 12h3M4 4l2 2M18 18l2 2M20 4l-2 2M6 18l-2 2",
  thread: "M4 5h16v11H10l-5 4v-4H4z",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  menu: "M4 6h16M4 12h16M4 18h16",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  smile: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.5 14a4 4 0 0 0 7 0M9 9.5h.01M15 9.5h.01",
  edit: "M4 20h4L20 8l-4-4L4 16z",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  up: "M7 11v9H3v-9zM7 11l4-8a2.5 2.5 0 0 1 2.5 2.5V9H20l-2 11H7",
  down: "M7 13V4H3v9zM7 13l4 8a2.5 2.5 0 0 0 2.5-2.5V15H20L18 4H7",
  check: "M5 12.5l5 5 9-11",
  caret: "M6 9l6 6 6-6",
  people: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 20a7 7 0 0 1 14 0M16 4a4 4 0 0 1 0 7M18 14a7 7 0 0 1 4 6",
  stop: "M7 7h10v10H7z",
  warn: "M12 4 2 20h20zM12 10v4M12 17h.01",
  at: "M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zm0 0c0 5 6 4 6-1a10 10 0 1 0-4 7",
  plus: "M12 5v14M5 12h14",
};

export function icon(name, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  if (label) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  } else svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

let numbers = 0;
export const newId = (prefix) => `${prefix}-${++numbers}`;

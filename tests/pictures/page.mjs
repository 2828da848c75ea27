// Reads [{file, messages: [{blocks, author}, …]}] from standard input; an empty author is the bot and writes one HTML page for each.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";

const require = createRequire(import.meta.url);
const React = require("react");
const { renderToStaticMarkup } = require("react-dom/server");
const { Message } = require("slack-blocks-to-jsx");

const library = readFileSync(require.resolve("slack-blocks-to-jsx").replace(/index\.m?js$/, "style.css"), "utf8");
const AVATAR =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="5" fill="#0b4f5c"/>' +
      '<path d="M9 12c0-2 1.500-3.500 4-3.500v2.500c-1 0-1.500.500-1.500 1.300h2v5H9zm9 0c0-2 1.500-3.500 4-3.500v2.500c-1 0-1.500.500-1.500 1.300h2v5H18z" fill="#9fe3d6"/>' +
      '<path d="M9 23l5 5 13-13" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>',
  );
const initials = (author) =>
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="5" fill="#7a4f8f"/>' +
      `<text x="18" y="24" font-family="Lato, sans-serif" font-size="16" fill="#fff" text-anchor="middle">${author[0]}</text></svg>`,
  );
const FRAME = `
  body { margin: 0; background: #fff; }
  #frame { width: 640px; padding: 16px 20px 18px; background: #fff; }
  #frame, #frame * { font-family: Lato, "Helvetica Neue", "Liberation Sans", sans-serif; }
  #slack_blocks_to_jsx { font-size: 15px; line-height: 1.466; color: #1d1c1d; }
  .message + .message { margin-top: 18px; }
`;

for (const { file, messages } of JSON.parse(readFileSync(0, "utf8"))) {
  const drawn = messages.map(({ blocks, author }, number) =>
    React.createElement(
      "div",
      { className: "message", key: number },
      React.createElement(Message, {
        blocks,
        logo: author ? initials(author) : AVATAR,
        name: author || "Testigo",
        time: new Date(2026, 10, 20, 10, 4 + number),
      }),
    ),
  );
  const body = renderToStaticMarkup(React.createElement("div", { id: "frame" }, drawn));
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><style>${library}${FRAME}</style>${body}`);
}

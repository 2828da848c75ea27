// Reads [{file, messages: [{blocks, author}, …]}] from standard input and writes one HTML page for each. An empty author
// is the bot; what has a title and buttons instead of an author is a modal.
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
// Each section of a rich text is a line of its own in Slack; release 1.1.1 of the library lets short ones flow together.
const FRAME = `
  .slack_blocks_to_jsx__rich_text_section_element { display: block !important; }
  body { margin: 0; background: #fff; }
  #frame { width: 640px; padding: 16px 20px 18px; background: #fff; }
  #frame, #frame * { font-family: Lato, "Helvetica Neue", "Liberation Sans", sans-serif; }
  #slack_blocks_to_jsx { font-size: 15px; line-height: 1.466; color: #1d1c1d; }
  .message + .message { margin-top: 18px; }
  .modal { border: 1px solid #ddd; border-radius: 8px; box-shadow: 0 4px 12px rgba(0, 0, 0, .12); width: 560px; margin: 4px auto; font-size: 15px; line-height: 1.466; color: #1d1c1d; }
  .modal header { font-size: 20px; font-weight: 900; padding: 14px 24px; border-bottom: 1px solid #ddd; }
  .modal main { padding: 12px 24px; }
  .modal footer { padding: 12px 24px; border-top: 1px solid #ddd; text-align: right; }
  .modal footer span { border: 1px solid #bbb; border-radius: 4px; padding: 5px 12px; font-weight: 700; margin-left: 8px; display: inline-block; }
  .modal footer span + span { background: #007a5a; border-color: #007a5a; color: #fff; }
`;
const h = React.createElement;
const modal = ({ blocks, title, buttons }, number) =>
  h(
    "div",
    { className: "modal", key: number },
    h("header", null, title),
    h("main", null, h(Message, { blocks, logo: AVATAR, name: title, withoutWrapper: true })),
    h("footer", null, buttons.map((label) => h("span", { key: label }, label))),
  );

for (const { file, messages } of JSON.parse(readFileSync(0, "utf8"))) {
  const drawn = messages.map((shown, number) =>
    shown.title
      ? modal(shown, number)
      : h(
          "div",
          { className: "message", key: number },
          h(Message, {
            blocks: shown.blocks,
            logo: shown.author ? initials(shown.author) : AVATAR,
            name: shown.author || "Testigo",
            time: new Date(2026, 10, 20, 10, 4 + number),
          }),
        ),
  );
  const body = renderToStaticMarkup(h("div", { id: "frame" }, drawn));
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><style>${library}${FRAME}</style>${body}`);
}

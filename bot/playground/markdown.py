"""Markdown, as `markdown` blocks and streams carry it, as the elements of a `rich_text` block.

Beside Slack's own elements there are three that `rich_text` lacks: `heading` (with a `level`), `rule` and `table`.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from bot.playground.mrkdwn import special_elements, styled_text
from bot.standin.model import Json

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}


def markdown_elements(text: str) -> list[Json]:
    """Parse Markdown into elements, in order. Text is never read as HTML."""
    tree = SyntaxTreeNode(_MARKDOWN.parse(text))
    return [element for child in tree.children for element in _block(child, 0)]


def _block(node: SyntaxTreeNode, indent: int) -> list[Json]:
    match node.type:
        case "paragraph":
            return [{"type": "rich_text_section", "elements": _children(node)}]
        case "heading":
            return [{"type": "heading", "level": int(node.tag[1:]), "elements": _children(node)}]
        case "fence" | "code_block":
            inside = [{"type": "text", "text": node.content.rstrip("\n")}]
            return [{"type": "rich_text_preformatted", "elements": inside}]
        case "blockquote":
            return [{"type": "rich_text_quote", "elements": _joined([_leaves(child) for child in node.children])}]
        case "bullet_list" | "ordered_list":
            return _list(node, indent)
        case "hr":
            return [{"type": "rule"}]
        case "table":
            return [_table(node)]
        case _:
            return [{"type": "rich_text_section", "elements": special_elements(node.content, {})}]


def _list(node: SyntaxTreeNode, indent: int) -> list[Json]:
    style = "ordered" if node.type == "ordered_list" else "bullet"
    first = int(node.attrs.get("start", 1))
    found: list[Json] = []
    for number, item in enumerate(node.children):
        own = [child for child in item.children if child.type not in ("bullet_list", "ordered_list")]
        section = {"type": "rich_text_section", "elements": _joined([_leaves(child) for child in own])}
        last = found[-1] if found else None
        if last is not None and last["indent"] == indent and last["style"] == style:
            last["elements"].append(section)
        else:
            offset = first - 1 + number
            found.append(
                {"type": "rich_text_list", "style": style, "indent": indent, "offset": offset, "elements": [section]}
            )
        for child in item.children:
            if child not in own:
                found += _list(child, indent + 1)
    return found


def _table(node: SyntaxTreeNode) -> Json:
    rows = [
        [{"type": "rich_text", "elements": [_section(cell)]} for cell in row.children]
        for part in node.children
        for row in part.children
    ]
    return {"type": "table", "rows": rows}


def _section(node: SyntaxTreeNode) -> Json:
    return {"type": "rich_text_section", "elements": _children(node)}


def _leaves(node: SyntaxTreeNode) -> list[Json]:
    if node.type in ("paragraph", "heading"):
        return _children(node)
    if node.type in ("fence", "code_block"):
        return styled_text(node.content.rstrip("\n"), {"code": True})
    return _joined([_leaves(child) for child in node.children])


def _joined(parts: list[list[Json]]) -> list[Json]:
    joined: list[Json] = []
    for part in filter(None, parts):
        joined += [*([{"type": "text", "text": "\n"}] if joined else []), *part]
    return joined


def _children(node: SyntaxTreeNode) -> list[Json]:
    inline = node.children[0] if node.children else None
    return [leaf for child in (inline.children if inline else ()) for leaf in _inline(child, {})]


def _inline(node: SyntaxTreeNode, style: Json) -> list[Json]:
    match node.type:
        case "text":
            return special_elements(node.content, style)
        case "code_inline":
            return styled_text(node.content, style | {"code": True})
        case "softbreak" | "hardbreak":
            return [{"type": "text", "text": "\n"}]
        case "link":
            label = "".join(_words(child) for child in node.children)
            link: Json = {"type": "link", "url": str(node.attrs["href"]), "text": label}
            return [link | ({"style": style} if style else {})]
        case "image":
            return styled_text(node.content or str(node.attrs.get("src", "")), style)
        case name if name in _STYLES:
            inner = style | {_STYLES[name]: True}
            return [leaf for child in node.children for leaf in _inline(child, inner)]
        case _:
            return styled_text(node.content, style)


def _words(node: SyntaxTreeNode) -> str:
    return node.content or "".join(_words(child) for child in node.children)

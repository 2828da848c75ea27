"""The few forms of Block Kit that messages are made of.

`rich_text` and nothing else carries text from outside: its elements are data, which Slack does not parse. `note` is
plain text, in which clients turn addresses into links: for words of our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.rendering.escape import plain

Block = dict[str, Any]
"""A block as Slack's API takes it."""
Element = dict[str, Any]
"""A piece of text or a link inside a rich text section."""


def text(value: str, *, bold: bool = False, italic: bool = False) -> Element:
    """A piece of text, shown as it is."""
    element: Element = {"type": "text", "text": plain(value)}
    return _styled(element, bold, italic)


def link(url: str | None, label: str, *, bold: bool = False, italic: bool = False) -> Element:
    """A link, or the bare label when there is no address. `url` comes from `links`, from nowhere else."""
    if url is None:
        return text(label, bold=bold, italic=italic)
    return _styled({"type": "link", "url": url, "text": plain(label)}, bold, italic)


def _styled(element: Element, bold: bool, italic: bool) -> Element:
    style = {name: True for name, on in (("bold", bold), ("italic", italic)) if on}
    return {**element, "style": style} if style else element


def section(*elements: Element) -> Element:
    """A line or paragraph of a rich text. Slack refuses empty elements, so they are left out."""
    return {"type": "rich_text_section", "elements": [element for element in elements if element["text"]]}


def bullets(items: Sequence[Element]) -> Element:
    """A list of sections."""
    return {"type": "rich_text_list", "style": "bullet", "elements": list(items)}


def quote(*elements: Element) -> Element:
    """Words that are set off by a bar at their side."""
    return {"type": "rich_text_quote", "elements": [element for element in elements if element["text"]]}


def rich(*sections: Element) -> Block:
    """A block of sections and lists; those without content are left out."""
    return {"type": "rich_text", "elements": [part for part in sections if part["elements"]]}


def note(*lines: str) -> Block:
    """Small print: our own words, one element a line."""
    return {
        "type": "context",
        "elements": [{"type": "plain_text", "text": line, "emoji": False} for line in lines if line],
    }


def button(label: str, action_id: str, value: str) -> Block:
    """A block of one button; what is pressed comes back with its `value`."""
    pressed = {"type": "plain_text", "text": label, "emoji": False}
    return {
        "type": "actions",
        "elements": [{"type": "button", "text": pressed, "action_id": action_id, "value": value}],
    }


def divider() -> Block:
    """A thin line."""
    return {"type": "divider"}


def table(rows: Sequence[Sequence[str]]) -> Block:
    """A table whose first row is its header. An empty cell shows a dash, since Slack refuses empty text."""
    head, *body = rows
    cells = [[_cell(value, bold=True) for value in head], *([_cell(value) for value in row] for row in body)]
    return {"type": "table", "rows": cells, "column_settings": [{"is_wrapped": True} for _ in head]}


def _cell(value: str, *, bold: bool = False) -> Block:
    return rich(section(text(value if plain(value).strip() else "–", bold=bold)))

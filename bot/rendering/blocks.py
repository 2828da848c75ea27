"""The few forms of Block Kit that messages are made of.

`rich_text` and nothing else carries text from outside: its elements are data, which Slack does not parse. `note` is
plain text, in which clients turn addresses into links: for words of our own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from bot.rendering import limits
from bot.rendering.escape import plain
from bot.rendering.split import cut

Block = dict[str, Any]
"""A block as Slack's API takes it."""
Element = dict[str, Any]
"""A piece of text or a link inside a rich text section, or something to press."""
View = dict[str, Any]
"""A modal as Slack's API takes it."""


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


def press(label: str, action_id: str, value: str, confirm: Element | None = None) -> Element:
    """A button; what is pressed comes back with its `value`. One that asks first is drawn as dangerous."""
    button: Element = {"type": "button", "text": plain_text(label), "action_id": action_id, "value": value}
    return button if confirm is None else {**button, "style": "danger", "confirm": confirm}


def confirmation(title: str, said: str, yes: str, no: str) -> Element:
    """The question that Slack asks before a button acts."""
    return {
        "title": plain_text(cut(title, limits.CONFIRM_TITLE)),
        "text": plain_text(cut(said, limits.CONFIRM_TEXT)),
        "confirm": plain_text(yes),
        "deny": plain_text(no),
        "style": "danger",
    }


def option(label: str, value: str) -> Element:
    """Something to choose; what is chosen comes back with its `value`."""
    return {"text": plain_text(cut(label, limits.OPTION_TEXT)), "value": value}


def choice(kind: str, action_id: str, options: Sequence[Element], chosen: str) -> Element:
    """A `static_select` or `radio_buttons` of which one is chosen."""
    initial = next((each for each in options if each["value"] == chosen), None)
    element: Element = {"type": kind, "action_id": action_id, "options": list(options)}
    return element if initial is None else {**element, "initial_option": initial}


def choices(kind: str, action_id: str, options: Sequence[Element], chosen: Collection[str]) -> Element:
    """A `multi_static_select` or `checkboxes` of which some are chosen."""
    initial = [each for each in options if each["value"] in chosen]
    element: Element = {"type": kind, "action_id": action_id, "options": list(options)}
    return {**element, "initial_options": initial} if initial else element


def entry(block_id: str, label: str, element: Element, *, hint: str = "", optional: bool = False) -> Block:
    """A field of a form. Errors of a submission are shown under the one with their `block_id`."""
    block: Block = {"type": "input", "block_id": block_id, "label": plain_text(label), "element": element}
    if optional:
        block["optional"] = True
    return {**block, "hint": plain_text(hint)} if hint else block


def header(title: str) -> Block:
    """A heading, in large letters."""
    return {"type": "header", "text": plain_text(cut(title, limits.HEADER_TEXT))}


def actions(*elements: Element) -> Block:
    """A row of buttons."""
    return {"type": "actions", "elements": list(elements)}


def button(label: str, action_id: str, value: str) -> Block:
    """A row of one button."""
    return actions(press(label, action_id, value))


def feedback(action_id: str, good: tuple[str, str, str], bad: tuple[str, str, str]) -> Block:
    """The thumbs below an answer, each with its label, what a screen reader says of it, and its value."""
    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": action_id,
                "positive_button": _thumb(*good),
                "negative_button": _thumb(*bad),
            }
        ],
    }


def _thumb(label: str, spoken: str, value: str) -> Element:
    return {"text": plain_text(label), "accessibility_label": spoken, "value": value}


def plain_text(label: str) -> Element:
    """A label: words of our own."""
    return {"type": "plain_text", "text": label, "emoji": False}


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

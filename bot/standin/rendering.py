"""A message as the person reads it: text without markup, who would be notified, which links it has."""

import re
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.standin.model import Json, Message, View
from bot.standin.rich_text import unescape

_ANGLE = re.compile(r"<([^<>]+)>")
_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_PING = re.compile(r"<(?:!(?:channel|here|everyone)(?:\|[^>]*)?|@[UW][A-Z0-9]+(?:\|[^>]*)?|!subteam\^[A-Z0-9]+[^>]*)>")


def visible_text(message: Message) -> str:
    """All text of a message on the screen, one line per block; the `text` argument only where nothing else shows it."""
    lines: list[str] = []
    if message.stream is not None:
        lines += [_task_text(task) for task in message.stream.tasks]
        lines.append(markdown_text(message.stream.markdown))
    lines += [block_text(block) for block in message.all_blocks]
    if not any(lines):
        lines = [mrkdwn_text(message.text)]
    lines += [mrkdwn_text(str(attachment.get("text") or "")) for attachment in message.attachments]
    return "\n".join(line for line in lines if line)


def view_text(view: View) -> str:
    """All text of a modal or home tab on the screen."""
    return "\n".join(line for line in (view.title, *(block_text(block) for block in view.blocks)) if line)


def pings(message: Message) -> list[str]:
    """What in a message would notify people: `<!channel>`, `<@U…>`, `<!subteam^S…>`, as written."""
    found: list[str] = []
    for text in _live_texts(message):
        found += _PING.findall(text)
    for element in _walk(message.all_blocks):
        if element.get("type") in ("broadcast", "user", "usergroup") and "elements" not in element:
            found.append(str(element.get("range") or element.get("user_id") or element.get("usergroup_id")))
    return found


def links(message: Message) -> list[tuple[str, str]]:
    """Every link of a message as (address, label): of mrkdwn, Markdown, buttons and rich text."""
    found: list[tuple[str, str]] = []
    for text in _mrkdwn_texts(message):
        for inner in _ANGLE.findall(text):
            if inner[0] not in "@#!":
                address, _, label = inner.partition("|")
                found.append((unescape(address), unescape(label or address)))
    for text in _markdown_texts(message):
        found += _markdown_links(text)
    for element in _walk(message.all_blocks):
        if isinstance(element.get("url"), str):
            label = element.get("text") or element["url"]
            found.append((element["url"], str(label.get("text") if isinstance(label, dict) else label)))
    return found


def block_text(block: Json) -> str:
    """The text of one block."""
    kind = block.get("type")
    if kind == "markdown":
        return markdown_text(str(block["text"]))
    if kind == "table":
        return "\n".join(" | ".join(_any_text(cell) for cell in row) for row in block["rows"])
    if kind == "section":
        parts = [_any_text(block.get("text")), *map(_any_text, block.get("fields") or ())]
        accessory = block.get("accessory") or {}
        return "\n".join(part for part in (*parts, _any_text(accessory.get("text"))) if part)
    if kind == "rich_text":
        return "".join(map(_any_text, block["elements"]))
    if kind in ("context", "actions", "context_actions"):
        return " ".join(filter(None, map(_any_text, block["elements"])))
    return " ".join(filter(None, (_any_text(block.get(key)) for key in ("title", "text", "label", "alt_text"))))


def mrkdwn_text(text: str) -> str:
    """Slack's mrkdwn without markup: `<https://x|label>` reads label; `*bold*` keeps its stars' inside."""
    plain = _ANGLE.sub(lambda match: match[1].partition("|")[2] or match[1], text)
    plain = re.sub(r"(?<![\w*])\*(\S(?:[^*\n]*\S)?)\*(?![\w*])", r"\1", plain)
    plain = re.sub(r"(?<!\w)_(\S(?:[^_\n]*\S)?)_(?!\w)", r"\1", plain)
    return unescape(plain)


def markdown_text(text: str) -> str:
    """Markdown without markup."""
    lines = []
    for token in _MARKDOWN.parse(text):
        if token.type == "inline":
            lines.append("".join(_inline_text(child) for child in token.children or ()))
        elif token.type in ("fence", "code_block", "html_block"):
            lines.append(token.content.rstrip("\n"))
    return "\n".join(lines)


def _task_text(task: Json) -> str:
    parts = [
        str(task["title"]),
        markdown_text(str(task.get("details") or "")),
        markdown_text(str(task.get("output") or "")),
    ]
    return " ".join(part for part in (*parts, *(str(source["text"]) for source in task.get("sources") or ())) if part)


def _inline_text(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    return token.content


def _markdown_links(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for token in _MARKDOWN.parse(text):
        address: str | None = None
        label = ""
        for child in token.children or ():
            if child.type == "link_open":
                address, label = str(child.attrs["href"]), ""
            elif child.type == "link_close" and address is not None:
                found.append((address, label))
                address = None
            else:
                label += child.content
    return found


def _any_text(value: Any) -> str:
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    kind, text = value.get("type"), value.get("text")
    if kind == "mrkdwn":
        return mrkdwn_text(str(text))
    if kind == "feedback_buttons":
        return " ".join(_any_text(value[name].get("text")) for name in ("positive_button", "negative_button"))
    if isinstance(text, dict):
        return _any_text(text)
    if isinstance(text, str):
        return text
    if kind == "image":
        return str(value.get("alt_text", ""))
    if kind in ("user", "usergroup", "broadcast", "emoji", "link"):
        return str(
            value.get("user_id")
            or value.get("usergroup_id")
            or value.get("range")
            or value.get("name")
            or value.get("url")
        )
    joint = "\n" if kind in ("rich_text_list",) else ""
    return joint.join(map(_any_text, value.get("elements") or ()))


def _walk(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        yield value
        for child in value.values():
            yield from _walk(child)
    elif isinstance(value, list):
        for child in value:
            yield from _walk(child)


def _mrkdwn_texts(message: Message) -> Iterator[str]:
    yield message.text
    for element in _walk(message.all_blocks):
        if element.get("type") == "mrkdwn":
            yield str(element["text"])


def _markdown_texts(message: Message) -> Iterator[str]:
    if message.stream is not None:
        yield message.stream.markdown
    for element in _walk(message.all_blocks):
        if element.get("type") == "markdown":
            yield str(element["text"])


def _live_texts(message: Message) -> Iterator[str]:
    yield from _mrkdwn_texts(message)
    yield from _markdown_texts(message)

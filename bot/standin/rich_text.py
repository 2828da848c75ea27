"""Text as people type it in Slack: escapes, mentions, links, and the rich_text block the client makes of it."""

import re

from bot.standin.model import Json

_TOKEN = re.compile(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")


def escape(text: str) -> str:
    """Write `&`, `<` and `>` as Slack sends them."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """Read `&amp;`, `&lt;` and `&gt;` back."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def mentions(text: str, user_id: str) -> bool:
    """Whether a text mentions a user: `<@U123>` or `<@U123|name>`."""
    return any(sign == "@" and target == user_id for sign, target, _ in _TOKEN.findall(text))


def as_blocks(text: str, block_id: str) -> list[Json]:
    """The `rich_text` block that Slack's editor makes of a typed message."""
    elements: list[Json] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if match.start() > end:
            elements.append({"type": "text", "text": unescape(text[end : match.start()])})
        elements.append(_element(*match.groups()))
        end = match.end()
    if end < len(text):
        elements.append({"type": "text", "text": unescape(text[end:])})
    section = {"type": "rich_text_section", "elements": elements}
    return [{"type": "rich_text", "block_id": block_id, "elements": [section]}]


def _element(sign: str, target: str, label: str | None) -> Json:
    if sign == "@":
        return {"type": "user", "user_id": target}
    if sign == "#":
        return {"type": "channel", "channel_id": target}
    if sign == "!" and target.startswith("subteam^"):
        return {"type": "usergroup", "usergroup_id": target.removeprefix("subteam^")}
    if sign == "!":
        return {"type": "broadcast", "range": target}
    link: Json = {"type": "link", "url": unescape(target)}
    return link | {"text": unescape(label)} if label else link

"""Slack's mrkdwn as the elements of a `rich_text` block, so that one drawer draws both.

The syntax is that of https://docs.slack.dev/messaging/formatting-message-text. A date (`<!date^…>`) becomes an element
of Slack's own `date` type; the browser writes it in the reader's time zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.standin.model import Json
from bot.standin.rich_text import unescape

_FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|<(?P<angle>[^<>\n]+)>"
    r"|(?<![\w*])\*(?P<bold>\S(?:[^*\n]*\S)?)\*(?![\w*])"
    r"|(?<!\w)_(?P<italic>\S(?:[^_\n]*\S)?)_(?!\w)"
    r"|(?<![\w~])~(?P<strike>\S(?:[^~\n]*\S)?)~(?![\w~])"
    r"|(?<!\w):(?P<emoji>[a-z0-9_+'-]+(?:::skin-tone-\d)?):"
)
_SPECIAL = re.compile(r"<(?P<angle>[@#!][^<>\n]+)>|(?<!\w):(?P<emoji>[a-z0-9_+'-]+(?:::skin-tone-\d)?):")
_STYLES = ("bold", "italic", "strike")
_DATE = re.compile(r"!date\^(?P<timestamp>\d+)\^(?P<format>[^^|]+)(?:\^(?P<url>[^|]+))?(?:\|(?P<fallback>.*))?$")


def mrkdwn_elements(text: str) -> list[Json]:
    """Parse mrkdwn into `rich_text_section`, `rich_text_quote` and `rich_text_preformatted` elements, in order."""
    elements: list[Json] = []
    end = 0
    for fence in _FENCE.finditer(text):
        elements += _paragraphs(text[end : fence.start()].removesuffix("\n"))
        inside = [{"type": "text", "text": unescape(fence[1])}]
        elements.append({"type": "rich_text_preformatted", "elements": inside})
        end = fence.end()
    return elements + _paragraphs(text[end:].removeprefix("\n") if end else text)


def inline_elements(text: str, style: Json | None = None) -> list[Json]:
    """Parse one run of mrkdwn without quotes and fences; `style` is what stands around it."""
    style = style or {}
    elements: list[Json] = []
    end = 0
    for match in _INLINE.finditer(text):
        elements += _plain(text[end : match.start()], style)
        elements += _parsed(match, style)
        end = match.end()
    return elements + _plain(text[end:], style)


def special_elements(text: str, style: Json) -> list[Json]:
    """Parse what Slack reads in Markdown too: mentions, dates and emoji. The rest is text as it stands."""
    elements: list[Json] = []
    end = 0
    for match in _SPECIAL.finditer(text):
        elements += styled_text(text[end : match.start()], style)
        emoji = match["emoji"]
        elements.append({"type": "emoji", "name": emoji} if emoji else _angle(match["angle"], style))
        end = match.end()
    return elements + styled_text(text[end:], style)


def styled_text(text: str, style: Json) -> list[Json]:
    """A `text` element, or none for empty text."""
    return [_styled({"type": "text", "text": text}, style)] if text else []


def _paragraphs(text: str) -> list[Json]:
    elements: list[Json] = []
    for quoted, lines in _runs(text):
        kind = "rich_text_quote" if quoted else "rich_text_section"
        elements.append({"type": kind, "elements": inline_elements("\n".join(lines))})
    return elements


def _runs(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Neighbouring lines that are all quoted (without their mark), or all not."""
    run: list[str] = []
    quoted = False
    for line in text.split("\n") if text else ():
        mark = next((mark for mark in ("&gt;", ">") if line.startswith(mark)), "")
        if run and bool(mark) != quoted:
            yield quoted, run
            run = []
        quoted = bool(mark)
        run.append(line[len(mark) :].removeprefix(" ") if mark else line)
    if run:
        yield quoted, run


def _parsed(match: re.Match[str], style: Json) -> list[Json]:
    if match["code"] is not None:
        return _plain(match["code"], style | {"code": True})
    if match["angle"] is not None:
        return [_angle(match["angle"], style)]
    if match["emoji"] is not None:
        return [{"type": "emoji", "name": match["emoji"]}]
    name = next(name for name in _STYLES if match[name] is not None)
    return inline_elements(match[name], style | {name: True})


def _plain(text: str, style: Json) -> list[Json]:
    return styled_text(unescape(text), style)


def _angle(inner: str, style: Json) -> Json:
    target, _, label = inner.partition("|")
    if target.startswith("@"):
        return _styled({"type": "user", "user_id": target[1:]}, style)
    if target.startswith("#"):
        return _styled({"type": "channel", "channel_id": target[1:]}, style)
    if target.startswith("!subteam^"):
        return _styled({"type": "usergroup", "usergroup_id": target.removeprefix("!subteam^")}, style)
    if date := _DATE.match(inner):
        facts = {key: unescape(value) for key, value in date.groupdict().items() if value is not None}
        return _styled({"type": "date", **facts, "timestamp": int(date["timestamp"])}, style)
    if target.startswith("!"):
        return _styled({"type": "broadcast", "range": target[1:]}, style)
    link: Json = {"type": "link", "url": unescape(target)}
    return _styled(link | ({"text": unescape(label)} if label else {}), style)


def _styled(element: Json, style: Json) -> Json:
    return element | {"style": dict(style)} if style else element

"""A message as it will be sent: blocks, and the text that notifications and screen readers read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.rendering import escape, limits
from bot.rendering.blocks import Block, rich, section, text
from bot.rendering.split import cut


@dataclass(frozen=True, slots=True)
class Message:
    """Send it with `**NO_UNFURL` where the method takes it, so that no link of it is unfolded into a preview."""

    text: str
    """Escaped for mrkdwn."""
    blocks: tuple[Block, ...]


NO_UNFURL: dict[str, Any] = {"unfurl_links": False, "unfurl_media": False}


def message(lines: str, blocks: tuple[Block, ...] | list[Block]) -> Message:
    """A message whose `text` is these lines, escaped and cut to the limit."""
    return Message(fallback(lines), tuple(blocks))


def sentence(words: str) -> Message:
    """A message of one sentence: a refusal, a status."""
    return message(words, [rich(section(text(words)))])


def fallback(lines: str) -> str:
    """Lines as the escaped `text` of a message, within its limit."""
    shown = lines.strip()
    room = limits.FALLBACK_TEXT
    while len(escaped := escape.mrkdwn(cut(shown, room))) > limits.FALLBACK_TEXT:
        room = room * 3 // 4
    return escaped

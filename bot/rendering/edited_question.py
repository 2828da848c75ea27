"""The offer to answer an edited question again."""

from __future__ import annotations

import re

from bot.rendering.blocks import button, rich, section, text
from bot.rendering.message import Message, message
from bot.words import Words

AGAIN_ACTION = "answer_again"
_TS = re.compile(r"[0-9]{1,12}\.[0-9]{1,8}")


def render_edited_question(value: str, words: Words) -> Message:
    """One sentence and the button; `value` (`again_value`) comes back with it."""
    offer = words.again_offer()
    return message(offer, [rich(section(text(offer))), button(words.again_button(), AGAIN_ACTION, value)])


def again_value(ts: str) -> str:
    """What the button carries: which message was edited."""
    return ts


def edited_message(value: str) -> str:
    """The inverse of `again_value`; empty where the value names no message."""
    return value if _TS.fullmatch(value) else ""

"""What Slack would say of a message or modal, as far as the SDK's models, the stand-in and our limits know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from slack_sdk.models.blocks import Block as SdkBlock

from bot.rendering import Message, limits
from bot.rendering.blocks import View
from bot.standin.block_checks import require_valid_blocks
from bot.standin.view_checks import require_valid_view


def check(message: Message) -> None:
    """Fail when Slack would refuse the message."""
    assert 0 < len(message.text) <= limits.FALLBACK_TEXT
    assert 0 < len(message.blocks) <= limits.BLOCKS
    assert sum(len(text) for text in texts(message)) <= limits.MESSAGE_TEXT
    assert sum(block["type"] == "table" for block in message.blocks) <= limits.TABLES
    assert all(text for text in texts(message)), "Slack refuses empty text"
    require_valid_blocks(list(message.blocks))
    for block, parsed in zip(message.blocks, SdkBlock.parse_all(list(message.blocks)), strict=True):
        parsed.validate_json()
        assert parsed.type == block["type"]
        if block["type"] == "rich_text":
            assert block["elements"]
            assert limits.weight(block) <= limits.SECTION_TEXT
        if block["type"] == "context":
            assert 0 < len(block["elements"]) <= limits.CONTEXT_ELEMENTS
            assert all(len(element["text"]) <= limits.CONTEXT_TEXT for element in block["elements"])
        if block["type"] == "table":
            assert len(block["rows"]) <= limits.TABLE_ROWS
            assert all(len(row) <= limits.TABLE_COLUMNS for row in block["rows"])
            assert sum(len(text) for text in _texts(block)) <= limits.TABLE_TEXT


def check_view(view: View) -> None:
    """Fail when Slack would refuse the modal."""
    require_valid_view(view, kinds=("modal",))
    drawn = Message("", tuple(view["blocks"]))
    assert all(text for text in texts(drawn)), "Slack refuses empty text"
    for block in view["blocks"]:
        if block["type"] == "rich_text":
            assert block["elements"]
            assert limits.weight(block) <= limits.SECTION_TEXT


def check_home(view: View) -> None:
    """Fail when Slack would refuse the home tab."""
    require_valid_view(view, kinds=("home",))
    assert all(text for text in texts(Message("", tuple(view["blocks"])))), "Slack refuses empty text"


def texts(message: Message) -> list[str]:
    """Every text of the blocks."""
    return list(_texts(list(message.blocks)))


def urls(message: Message) -> list[str]:
    """Every address of the blocks."""
    return [element["url"] for element in elements(message) if "url" in element]


def elements(message: Message) -> list[dict[str, Any]]:
    """Every object within the blocks, and the blocks."""
    return list(_objects(list(message.blocks)))


def said(message: Message) -> str:
    """The texts of the blocks in one string."""
    return "".join(texts(message))


def _objects(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _objects(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _objects(inner)


def _texts(value: object) -> Iterator[str]:
    for element in _objects(value):
        if isinstance(element.get("text"), str):
            yield element["text"]

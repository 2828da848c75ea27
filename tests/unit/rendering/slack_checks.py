"""What Slack would say of a message, as far as the SDK's models and our limits know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from slack_sdk.models.blocks import Block as SdkBlock

from bot.rendering import Message, limits


def check(message: Message) -> None:
    """Fail when Slack would refuse the message."""
    assert 0 < len(message.text) <= limits.FALLBACK_TEXT
    assert 0 < len(message.blocks) <= limits.BLOCKS
    assert sum(len(text) for text in texts(message)) <= limits.MESSAGE_TEXT
    assert sum(block["type"] == "table" for block in message.blocks) <= limits.TABLES
    assert all(text for text in texts(message)), "Slack refuses empty text"
    for block, parsed in zip(message.blocks, SdkBlock.parse_all(list(message.blocks)), strict=True):
        parsed.validate_json()
        assert parsed.type == block["type"]
        if block["type"] == "rich_text":
            assert block["elements"]
        if block["type"] == "context":
            assert 0 < len(block["elements"]) <= limits.CONTEXT_ELEMENTS
            assert all(len(element["text"]) <= limits.CONTEXT_TEXT for element in block["elements"])
        if block["type"] == "table":
            assert len(block["rows"]) <= limits.TABLE_ROWS
            assert all(len(row) <= limits.TABLE_COLUMNS for row in block["rows"])
            assert sum(len(text) for text in _texts(block)) <= limits.TABLE_TEXT


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

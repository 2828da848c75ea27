"""The conversation: roles, blocks, tool turns, documents and citations."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from anthropic.types import (
    AssistantMessageParam,
    CitationsConfigParam,
    DocumentBlockParam,
    ImageBlockParam,
    PlainTextSourceParam,
    RedactedThinkingBlockParam,
    SearchResultBlockParam,
    SystemMessageParam,
    TextBlockParam,
    ThinkingBlockParam,
    ToolResultBlockParam,
    ToolUseBlockParam,
    UserMessageParam,
)

from bot.standin.claude.fields import check_choice, check_object, check_string
from bot.standin.claude.recording import content_blocks
from bot.standin.claude.rejection import Rejection

_MESSAGES: Mapping[str, Any] = {
    "user": UserMessageParam,
    "assistant": AssistantMessageParam,
    "system": SystemMessageParam,
}
_BLOCKS: Mapping[str, Any] = MappingProxyType(
    {
        "text": TextBlockParam,
        "document": DocumentBlockParam,
        "image": ImageBlockParam,
        "search_result": SearchResultBlockParam,
        "thinking": ThinkingBlockParam,
        "redacted_thinking": RedactedThinkingBlockParam,
        "tool_use": ToolUseBlockParam,
        "tool_result": ToolResultBlockParam,
    }
)
_SOURCES = ("text", "base64", "url", "file", "content")


def check_messages(messages: Any) -> None:
    """Reject a conversation that the API would not take."""
    if not isinstance(messages, list):
        raise Rejection("messages: Input should be a valid list")
    if not messages:
        raise Rejection("messages: at least one message is required")
    for number, message in enumerate(messages):
        _check_message(message, f"messages.{number}")
    if messages[0]["role"] != "user":
        raise Rejection('messages: first message must use the "user" role')
    if messages[-1]["role"] == "assistant":
        raise Rejection(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    _check_tool_turns(messages)
    _check_citations(messages)


def check_text_blocks(content: Any, where: str) -> None:
    """Reject a system prompt that is neither a string nor blocks of text."""
    if not isinstance(content, str | list):
        raise Rejection(f"{where}: Input should be a valid string")
    if content == "":
        return
    for index, block in enumerate(content_blocks(content)):
        check_object(block, TextBlockParam, f"{where}.{index}")
        check_choice(block["type"], ("text",), f"{where}.{index}.type")
        _check_text(block, where, f"{where}.{index}")


def _check_message(message: Any, where: str) -> None:
    if not isinstance(message, dict):
        raise Rejection(f"{where}: Input should be a valid dictionary")
    if "role" not in message:
        raise Rejection(f"{where}.role: Field required")
    check_choice(message["role"], tuple(_MESSAGES), f"{where}.role")
    check_object(message, _MESSAGES[message["role"]], where)
    content = message["content"]
    if not isinstance(content, str | list):
        raise Rejection(f"{where}.content: Input should be a valid string")
    if not content:
        raise Rejection(
            f"{where}: all messages must have non-empty content except for the optional final assistant message"
        )
    for index, block in enumerate(content_blocks(content)):
        _check_block(block, f"{where}.content.{index}")
        _check_place(block, message["role"], f"{where}.content.{index}")


def _check_block(block: Any, where: str) -> None:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        raise Rejection(f"{where}.type: Field required")
    kind = block["type"]
    if kind not in _BLOCKS:
        tags = ", ".join(f"'{tag}'" for tag in _BLOCKS)
        raise Rejection(
            f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}"
        )
    check_object(block, _BLOCKS[kind], f"{where}.{kind}")
    if kind == "text":
        _check_text(block, "messages", f"{where}.text")
    if kind == "document":
        _check_document(block, f"{where}.document")


def _check_place(block: Mapping[str, Any], role: str, where: str) -> None:
    """What API version 2026-10-21 no longer takes."""
    if role == "assistant" and block["type"] == "document":
        raise Rejection(f"{where}: `document` blocks are not permitted in assistant messages")
    if role == "user" and block["type"] == "text" and block.get("citations"):
        raise Rejection(f"{where}.text.citations: `citations` are not permitted in user messages")


def _check_text(block: Mapping[str, Any], scope: str, where: str) -> None:
    check_string(block["text"], f"{where}.text")
    if not block["text"]:
        raise Rejection(f"{scope}: text content blocks must be non-empty")
    if not block["text"].strip():
        raise Rejection(f"{scope}: text content blocks must contain non-whitespace text")


def _check_document(block: Mapping[str, Any], where: str) -> None:
    source = block["source"]
    if not isinstance(source, dict) or source.get("type") not in _SOURCES:
        raise Rejection(f"{where}.source: Input should be a source of type {', '.join(_SOURCES)}")
    if source["type"] == "text":
        check_object(source, PlainTextSourceParam, f"{where}.source.text")
        check_choice(source["media_type"], ("text/plain",), f"{where}.source.text.media_type")
        check_string(source["data"], f"{where}.source.text.data")
        if not source["data"]:
            raise Rejection(f"{where}.source.text.data: String should have at least 1 character")
    if block.get("citations") is not None:
        check_object(block["citations"], CitationsConfigParam, f"{where}.citations")


def _check_citations(messages: list[Any]) -> None:
    enabled = [
        bool((block.get("citations") or {}).get("enabled"))
        for message in messages
        for block in content_blocks(message["content"])
        if block["type"] == "document"
    ]
    if any(enabled) and not all(enabled):
        raise Rejection("messages: Citations must be enabled for all documents or none")


def _check_tool_turns(messages: list[Any]) -> None:
    for number, (message, following) in enumerate(pairwise(messages)):
        asked = [b["id"] for b in content_blocks(message["content"]) if b["type"] == "tool_use"]
        answers = [b["tool_use_id"] for b in content_blocks(following["content"]) if b["type"] == "tool_result"]
        missing = [each for each in asked if each not in answers]
        if missing:
            raise Rejection(
                f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )
        stray = next((each for each in answers if each not in asked), None)
        if stray is not None:
            raise Rejection(
                f"messages.{number + 1}: unexpected `tool_use_id` found in `tool_result` blocks: {stray}. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message."
            )

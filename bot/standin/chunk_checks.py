"""Checks of the chunks of a streamed message (docs.slack.dev/reference/methods/chat.appendStream)."""

from typing import Any

from bot.standin import limits
from bot.standin.block_checks import find_problems, text_length
from bot.standin.findings import Findings, Place
from bot.standin.model import Json
from bot.standin.problems import ApiError

TASK_STATES = ("pending", "in_progress", "complete", "error")


def require_valid_chunks(chunks: Any) -> list[Json]:
    """Return the chunks, or raise `invalid_chunks`, `invalid_blocks`, `msg_too_long` or `msg_blocks_too_long`."""
    findings = Findings()
    root = Place({"chunks": chunks}, "", findings)
    checked = []
    for chunk in root.children("chunks", most=1000, least=0):
        _check_chunk(chunk)
        checked.append(chunk.value)
    if findings.problems:
        raise ApiError("invalid_chunks", problems=findings.problems, is_violation=True)
    for index, chunk_value in enumerate(checked):
        if chunk_value["type"] == "markdown_text" and len(chunk_value["text"]) > limits.MARKDOWN_TEXT:
            raise ApiError("msg_too_long", is_violation=True)
        if chunk_value["type"] == "blocks":
            _require_valid_blocks_chunk(chunk_value["blocks"], f"/chunks/{index}")
    return checked


def _check_chunk(chunk: Place) -> None:
    kind = chunk.value.get("type")
    if kind == "markdown_text":
        chunk.string("text", most=10**9, required=True)
    elif kind == "plan_update":
        chunk.string("title", most=limits.TASK_TITLE, required=True)
    elif kind == "task_update":
        chunk.string("id", most=255, required=True)
        chunk.string("title", most=limits.TASK_TITLE, required=True)
        chunk.one_of("status", TASK_STATES, required=True)
        for source in chunk.children("sources", most=100, least=0, required=False):
            source.one_of("type", ("url",), required=True)
            source.url("url", required=True)
            source.string("text", most=limits.TEXT_OBJECT, required=True)
    elif kind == "blocks":
        if not isinstance(chunk.value.get("blocks"), list):
            chunk.wrong("must provide an array", "blocks")
    else:
        chunk.wrong(f"unsupported type: {kind}", "type")


def _require_valid_blocks_chunk(blocks: list[Json], pointer: str) -> None:
    if len(blocks) > limits.BLOCKS_IN_MESSAGE:
        raise ApiError("msg_blocks_too_many", is_violation=True)
    problems = find_problems(blocks, pointer=pointer)
    if problems:
        raise ApiError("invalid_blocks", problems=problems, is_violation=True)
    if text_length(blocks) > limits.MESSAGE_BLOCKS_TEXT:
        raise ApiError("msg_blocks_too_long", is_violation=True)

"""The content of a message as the bot sends it, checked: text, Markdown, blocks, attachments, metadata."""

from dataclasses import dataclass
from typing import Any

from bot.standin import limits
from bot.standin.api.registry import Backstage
from bot.standin.arguments import Arguments
from bot.standin.block_checks import require_valid_blocks, with_block_ids
from bot.standin.model import Json
from bot.standin.problems import ApiError


@dataclass(frozen=True, slots=True)
class Content:
    """What a message will say; None means that the argument was not given."""

    text: str | None
    blocks: list[Json] | None
    attachments: list[Json] | None
    metadata: Json | None


def read_content(backstage: Backstage, args: Arguments, *, longest: int = limits.MESSAGE_TEXT) -> Content:
    """Check and return the content of a message, or raise ApiError with Slack's error for it."""
    markdown = args.optional("markdown_text")
    if markdown and (args.has("blocks") or args.text("text")):
        raise ApiError("markdown_text_conflict", is_violation=True)
    if len(args.text("text")) > longest or len(markdown or "") > limits.MARKDOWN_TEXT:
        raise ApiError("msg_too_long", is_violation=True)
    blocks = read_blocks(backstage, args.json("blocks"))
    if markdown:
        blocks = read_blocks(backstage, [{"type": "markdown", "text": markdown}])
    attachments = args.json("attachments")
    if attachments and len(attachments) > limits.ATTACHMENTS:
        raise ApiError("too_many_attachments", is_violation=True)
    if not (args.text("text").strip() or blocks or attachments):
        raise ApiError("no_text", is_violation=True)
    text = args.text("text") if args.has("text") else markdown
    return Content(text, blocks, attachments, read_metadata(args.json("metadata")))


def read_blocks(backstage: Backstage, blocks: Any) -> list[Json] | None:
    """Check blocks and give each an id; None when there are none."""
    if blocks is None:
        return None
    return with_block_ids(require_valid_blocks(blocks), lambda: backstage.workspace.new_id("b"))


def read_metadata(metadata: Any) -> Json | None:
    """Check message metadata: an event type and a payload."""
    if metadata is None:
        return None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("event_payload"), dict):
        raise ApiError("invalid_metadata_format", is_violation=True)
    if not metadata.get("event_type"):
        raise ApiError("invalid_metadata_format", is_violation=True)
    if len(str(metadata)) > limits.METADATA:
        raise ApiError("metadata_too_large", is_violation=True)
    return metadata

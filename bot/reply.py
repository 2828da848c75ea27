"""Where one event is answered: what each kind of reply can do, and how Slack's refusals are to be taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from bot.message_life import MessageLife
from bot.rendering import Message
from bot.rendering.blocks import Block
from bot.rendering.escape import mrkdwn
from bot.rendering.split import pieces
from bot.slack_client import SlackRefusedError
from core.domain.message_life import Stage
from core.errors import SlackError

TOO_MUCH = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "msg_blocks_too_many",
        "msg_too_long",
        "only_one_table_allowed",
        "too_many_blocks",
    }
)
"""Refusals that plain text in smaller pieces gets around."""
UNCERTAIN = frozenset({"", "fatal_error", "internal_error", "service_unavailable", "request_timeout"})
"""Refusals after which the message may be there all the same."""
NOT_ABOUT_THE_PLACE = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "missing_scope",
        "not_authed",
        "ratelimited",
        "token_expired",
        "token_revoked",
    }
)
"""Refusals that another place would answer with as well."""

CONTROLS = frozenset({"actions", "context_actions"})
"""Blocks of buttons, whose labels say nothing without them."""
PIECE = 3_000
"""Characters of a message of plain text."""


class Reply(Protocol):
    """Where one event is answered."""

    @property
    def life(self) -> MessageLife:
        """Where the message stands, and what is noted of it."""
        ...

    @property
    def is_finished(self) -> bool:
        """Whether an earlier attempt has said the last word already."""
        ...

    @property
    def takes_claims(self) -> bool:
        """Whether claims can be shown before the answer is whole."""
        ...

    async def progress(self, message: Message) -> None:
        """Show how far the work is, where that can be shown. Never fails."""
        ...

    async def show(self, blocks: Sequence[Block]) -> None:
        """Show the beginning of the answer: `blocks` are all of it so far. Never fails."""
        ...

    async def withdraw(self, message: Message) -> None:
        """Put something else in the place of what `show` has shown, until the last word. Never fails."""
        ...

    async def finish(self, messages: Sequence[Message], ending: Stage = Stage.FINISHED) -> None:
        """Show the last word, in one or several messages. `ending` is FINISHED, or FAILED when it tells of a failure.

        Raises:
            SlackError: it could not be shown anywhere.
        """
        ...


def in_plain_pieces(message: Message) -> list[Message]:
    """All text of a message as several messages without blocks, broken at paragraphs."""
    if not message.blocks:
        parts = pieces(message.text, PIECE)
        return [Message(part, ()) for part in parts] if len(parts) > 1 else []
    told = [block for block in message.blocks if block.get("type") not in CONTROLS]
    text = "\n\n".join(filter(None, (_text_of(block).strip() for block in told)))
    return [Message(mrkdwn(part), ()) for part in pieces(text, PIECE)]


def plain_text(message: Message) -> str:
    """What a short message says, without markup and on one line."""
    return " ".join(filter(None, (_text_of(block).strip() for block in message.blocks)))


def _text_of(block: Any) -> str:
    """What a block says; rows of tables and lines of lists stay lines."""
    if isinstance(block, Mapping):
        own = block.get("text")
        if isinstance(own, str):
            return own
        if own is not None:
            return _text_of(own)
        if "rows" in block:
            return "\n".join(" | ".join(_text_of(cell) for cell in row) for row in block["rows"])
        between = "" if block.get("type") in {"rich_text_section", "rich_text_preformatted"} else "\n"
        return between.join(_text_of(part) for part in block.get("elements") or ())
    return ""


def reason_of(error: SlackError) -> str:
    """Slack's word for a failure, for the log."""
    return error.code if isinstance(error, SlackRefusedError) else "unreachable"

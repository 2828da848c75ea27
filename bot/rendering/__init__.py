"""How things look in Slack and in a terminal: pure functions from domain values and words to messages.

answer, abstention, help, errors, progress  ──►  Message(text, blocks)
terminal                                    ──►  what rich prints
"""

from bot.rendering.abstention import render_abstention
from bot.rendering.answer import render_answer
from bot.rendering.errors import ErrorKind, error_kind, render_error
from bot.rendering.footnotes import SourceFacts, facts_of
from bot.rendering.help import render_help
from bot.rendering.message import NO_UNFURL, Message, sentence
from bot.rendering.private_addition import (
    SHARE_ACTION,
    render_access,
    render_private_addition,
    render_shared,
    share_value,
    with_share_button,
)
from bot.rendering.progress import render_progress
from bot.rendering.status import SourceStatus, render_status
from bot.rendering.sync_report import render_summary
from bot.rendering.terminal import draw_answer

__all__ = [
    "NO_UNFURL",
    "SHARE_ACTION",
    "ErrorKind",
    "Message",
    "SourceFacts",
    "SourceStatus",
    "draw_answer",
    "error_kind",
    "facts_of",
    "render_abstention",
    "render_access",
    "render_answer",
    "render_error",
    "render_help",
    "render_private_addition",
    "render_progress",
    "render_shared",
    "render_status",
    "render_summary",
    "sentence",
    "share_value",
    "with_share_button",
]

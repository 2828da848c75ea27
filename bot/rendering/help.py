"""The help: what the bot does, how to ask it, who sees what."""

from __future__ import annotations

from collections.abc import Sequence

from bot.rendering import blocks
from bot.rendering.escape import one_line
from bot.rendering.lists import titled_list
from bot.rendering.message import Message, message
from bot.words import Words

ASK_COMMAND = "/rag"
REINDEX_COMMAND = "/rag-reindex"
REVOKE_COMMAND = "/rag-revoke"
WHY_COMMAND = "/rag-why"
GAPS_COMMAND = "/rag-gaps"
STATUS_COMMAND = "/rag-status"
SETTINGS_COMMAND = "/rag-settings"


def render_help(words: Words, examples: Sequence[str] = (), *, admin: bool = False) -> Message:
    """Draw the help. `examples` are questions that this reader can ask and have answered."""
    ways = [words.help_mention(), words.help_direct(), words.help_command(ASK_COMMAND)]
    ways.append(words.help_status(STATUS_COMMAND))
    ways.append(words.help_settings_own(SETTINGS_COMMAND))
    if admin:
        ways.append(words.help_settings(SETTINGS_COMMAND))
        ways.append(words.help_reindex(REINDEX_COMMAND))
        ways.append(words.help_revoke(REVOKE_COMMAND))
        ways.append(words.help_why(WHY_COMMAND))
        ways.append(words.help_gaps(GAPS_COMMAND))
    access = [words.help_access(), words.help_private()]
    shown = [one_line(example) for example in examples if one_line(example)]
    drawn = [
        blocks.rich(
            blocks.section(blocks.text(words.help_title(), bold=True)), blocks.section(blocks.text(words.help_what()))
        ),
        *_listed(words.help_ask(), ways),
    ]
    if shown:
        drawn += _listed(words.help_examples(), [words.quoted(example) for example in shown])
    drawn.append(blocks.note(*access))
    lines = [words.help_title(), words.help_what(), f"{words.help_ask()}:", *ways, *access]
    return message("\n".join(lines), drawn)


def _listed(title: str, items: Sequence[str]) -> list[blocks.Block]:
    return titled_list(title, [blocks.section(blocks.text(item)) for item in items])

"""Documents are being read again: progress that is edited into one message."""

from __future__ import annotations

from collections.abc import Sequence

from bot.rendering import blocks
from bot.rendering.escape import one_line
from bot.rendering.lists import titled_list
from bot.rendering.message import Message, message
from bot.rendering.split import cut
from bot.words import Words
from core.domain.syncing import SyncProgress

_SOURCES_SHOWN = 30
_NAME_SHOWN = 250


def render_progress(sources: Sequence[SyncProgress], words: Words) -> Message:
    """Draw a run that is going. Each edit of the message is drawn by this again."""
    title = words.reindex_started()
    lines = [_progress(source, words) for source in sources[:_SOURCES_SHOWN]]
    drawn = titled_list(title, [blocks.section(blocks.text(line)) for line in lines])
    return message("\n".join([title, *lines]), drawn)


def _progress(progress: SyncProgress, words: Words) -> str:
    name = cut(one_line(progress.source), _NAME_SHOWN)
    if progress.total is None:
        return words.reindex_counting(name, progress.done)
    return words.reindex_progress(name, min(progress.done, progress.total), progress.total)

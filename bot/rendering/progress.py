"""Reading documents again, and what is known: progress that is edited into one message, its summary, the status."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.rendering import blocks
from bot.rendering.blocks import Block
from bot.rendering.escape import one_line
from bot.rendering.message import Message, message
from bot.rendering.split import cut
from bot.words import Words
from core.domain.syncing import SyncFinished, SyncProgress, report_lines

_SOURCES_SHOWN = 30
_WARNINGS_SHOWN = 5
_LINE_SHOWN = 250


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What is known of one source."""

    source: str
    documents: int
    synced_at: dt.datetime | None


def render_progress(sources: Sequence[SyncProgress], words: Words) -> Message:
    """Draw a run that is going. Each edit of the message is drawn by this again."""
    title = words.reindex_started()
    lines = [_progress(source, words) for source in sources[:_SOURCES_SHOWN]]
    return message("\n".join([title, *lines]), [_titled(title, lines)])


def render_summary(finished: Sequence[SyncFinished], words: Words, *, completed: bool = True) -> Message:
    """Draw a run that has ended, source by source. `completed` is False when it failed as a whole."""
    failed = sum(source.counts.failed for source in finished)
    seconds = sum(source.seconds for source in finished)
    if not completed:
        title = words.reindex_failed()
    elif failed:
        title = words.reindex_done_with_failures(failed, seconds)
    else:
        title = words.reindex_done(seconds)
    lines = [_summary(source, words) for source in finished[:_SOURCES_SHOWN]]
    warnings = [cut(one_line(warning), _LINE_SHOWN) for source in finished for warning in _warnings(source)]
    shown = warnings[:_WARNINGS_SHOWN]
    drawn = [_titled(title, lines)]
    if shown:
        drawn.append(blocks.rich(blocks.bullets([blocks.section(blocks.text(warning)) for warning in shown])))
    if len(warnings) > len(shown):
        drawn.append(blocks.note(words.more_warnings(len(warnings) - len(shown))))
    return message("\n".join([title, *lines, *shown]), drawn)


def render_status(sources: Sequence[SourceStatus], words: Words, index_lag: int = 0) -> Message:
    """Draw what is known. `index_lag` counts the changes that the search has not taken in yet."""
    title = words.status_title()
    lines = [_status(source, words) for source in sources[:_SOURCES_SHOWN]] or [words.status_empty()]
    drawn = [_titled(title, lines)]
    if index_lag:
        drawn.append(blocks.note(words.status_index_lag(index_lag)))
    return message("\n".join([title, *lines]), drawn)


def _progress(progress: SyncProgress, words: Words) -> str:
    name = _name(progress.source)
    if progress.total is None:
        return words.reindex_counting(name, progress.done)
    return words.reindex_progress(name, min(progress.done, progress.total), progress.total)


def _summary(finished: SyncFinished, words: Words) -> str:
    counts = finished.counts
    known = counts.total - counts.removed
    said = [
        word(count)
        for count, word in (
            (counts.added, words.added),
            (counts.changed, words.changed),
            (counts.access_only + counts.metadata_only + counts.moved, words.updated),
            (counts.removed, words.removed),
            (counts.unchanged, words.unchanged),
            (counts.failed, words.failed),
        )
        if count
    ]
    return " · ".join([f"{_name(finished.source)}: {words.documents(known)}", *said])


def _warnings(finished: SyncFinished) -> Iterator[str]:
    if finished.held_back:
        yield f"{finished.source}: {finished.held_back}"
    for line in report_lines((failure.key, failure.sentence) for failure in finished.failures):
        yield f"{finished.source}, {line}"
    for warning in finished.warnings:
        yield f"{finished.source}: {warning}"


def _status(status: SourceStatus, words: Words) -> str:
    when = words.status_never_synced() if status.synced_at is None else words.status_synced(status.synced_at)
    return f"{_name(status.source)}: {words.documents(status.documents)} · {when}"


def _titled(title: str, lines: Sequence[str]) -> Block:
    return blocks.rich(
        blocks.section(blocks.text(title, bold=True)),
        blocks.bullets([blocks.section(blocks.text(line)) for line in lines]),
    )


def _name(source: str) -> str:
    return cut(one_line(source), _LINE_SHOWN)

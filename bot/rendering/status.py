"""What is known, source by source; to admins also how the syncs go, and what the index is made of."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.rendering import blocks
from bot.rendering.blocks import Block
from bot.rendering.escape import one_line
from bot.rendering.lists import titled_list
from bot.rendering.message import Message, message
from bot.rendering.split import cut
from bot.words import Words

_SOURCES_SHOWN = 30
_FAILURES_SHOWN = 3
"""Lines of the last report of one source that are shown."""
_LINE_SHOWN = 250


@dataclass(frozen=True, slots=True)
class LastSync:
    """How the last sync of a source went. `state` is the record's word; `report` are its lines."""

    began_at: dt.datetime
    state: str
    asked_by: str
    report: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NextSync:
    """When a source is read next, by which schedule, and how many times were missed."""

    at: dt.datetime
    schedule: str
    missed: int = 0


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What is known of one source. `last` and `next` are for admins."""

    source: str
    documents: int
    synced_at: dt.datetime | None
    last: LastSync | None = None
    next: NextSync | None = None


@dataclass(frozen=True, slots=True)
class Machinery:
    """What the index and the answers are made of; for admins."""

    documents: int
    passages: int
    index_version: int
    model: str
    generator: str
    program: str


def render_status(
    sources: Sequence[SourceStatus], words: Words, index_lag: int = 0, machinery: Machinery | None = None
) -> Message:
    """Draw what is known. `index_lag` counts the changes that the search has not taken in yet."""
    title = words.status_title()
    lines = status_lines(sources, words) or [words.status_empty()]
    drawn = source_list(title, sources, words, words.status_empty())
    small = [words.status_index_lag(index_lag)] if index_lag else []
    if machinery is not None:
        small += machinery_lines(machinery, words)
    if small:
        drawn.append(blocks.note(*small))
    return message("\n".join([title, *lines, *small]), drawn)


def source_list(title: str, sources: Sequence[SourceStatus], words: Words, empty: str) -> list[Block]:
    """A title and the sources below it, or a sentence where there is none."""
    lines = status_lines(sources, words) or [empty]
    return titled_list(title, [blocks.section(blocks.text(line)) for line in lines])


def status_lines(sources: Sequence[SourceStatus], words: Words) -> list[str]:
    """What is known of each source, and how its syncs go, each in a few lines."""
    lines = ["\n".join(_status(source, words)) for source in sources[:_SOURCES_SHOWN]]
    return [*lines, words.and_more(len(sources) - len(lines))] if len(sources) > len(lines) else lines


def machinery_lines(machinery: Machinery, words: Words) -> list[str]:
    """The index, the models and the program, each in a line."""
    return [
        words.status_index(machinery.documents, machinery.passages, machinery.index_version),
        words.status_model(one_line(machinery.model), one_line(machinery.generator)),
        words.status_program(one_line(machinery.program)),
    ]


def _status(status: SourceStatus, words: Words) -> Iterator[str]:
    when = words.status_never_synced() if status.synced_at is None else words.status_synced(status.synced_at)
    yield f"{cut(one_line(status.source), _LINE_SHOWN)}: {words.documents(status.documents)} · {when}"
    if status.last is not None:
        asked_by = cut(one_line(status.last.asked_by), _LINE_SHOWN)
        yield words.sync_last(status.last.began_at, status.last.state, words.sync_asked_by(asked_by))
        report = status.last.report
        for line in report[:_FAILURES_SHOWN]:
            yield f"– {cut(one_line(line), _LINE_SHOWN)}"
        if len(report) > _FAILURES_SHOWN:
            yield f"– {words.and_more(len(report) - _FAILURES_SHOWN)}"
    if status.next is not None:
        missed = [words.sync_missed(status.next.missed)] if status.next.missed else []
        yield " · ".join([words.sync_next(status.next.at, one_line(status.next.schedule)), *missed])

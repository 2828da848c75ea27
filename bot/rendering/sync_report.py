"""What a sync did, or would do, source by source; with a button for what a guard held back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bot.rendering import blocks, limits
from bot.rendering.blocks import Block
from bot.rendering.escape import one_line
from bot.rendering.lists import titled_list
from bot.rendering.message import Message, message
from bot.rendering.split import cut
from bot.words import Words
from core.domain.syncing import DocumentState, SyncFinished, report_lines

REMOVALS_ACTION = "confirm_removals"

_SOURCES_SHOWN = 30
_WARNINGS_SHOWN = 5
_PLANNED_SHOWN = 10
"""Documents of one kind that a plan names."""
_BUTTONS_SHOWN = 5
_LINE_SHOWN = 250
_NAME_SHOWN = 30
"""Characters of a source's name on a button."""


def render_summary(
    finished: Sequence[SyncFinished],
    words: Words,
    *,
    completed: bool = True,
    held: Mapping[str, int] | None = None,
) -> Message:
    """Draw a run that has ended, source by source, or a plan.

    Args:
        finished: how each source ended.
        words: the language.
        completed: False when it failed as a whole.
        held: for the sources of which something was held back that an admin may let go, the id of their run.
    """
    title = _title(finished, words, completed=completed)
    lines = [_summary(source, words) for source in finished[:_SOURCES_SHOWN]]
    planned = [line for source in finished if source.dry_run for line in _planned(source, words)]
    warnings = [cut(one_line(warning), _LINE_SHOWN) for source in finished for warning in _warnings(source)]
    shown = warnings[:_WARNINGS_SHOWN]
    drawn = titled_list(title, [blocks.section(blocks.text(line)) for line in lines])
    if planned:
        drawn += titled_list("", [blocks.section(blocks.text(line)) for line in planned])
    if shown:
        drawn.append(blocks.rich(blocks.bullets([blocks.section(blocks.text(warning)) for warning in shown])))
    if len(warnings) > len(shown):
        drawn.append(blocks.note(words.more_warnings(len(warnings) - len(shown))))
    drawn += _buttons(finished, held or {}, words)
    return message("\n".join([title, *lines, *planned, *shown]), drawn)


def _title(finished: Sequence[SyncFinished], words: Words, *, completed: bool) -> str:
    failed = sum(source.counts.failed for source in finished)
    seconds = sum(source.seconds for source in finished)
    if not completed:
        return words.reindex_failed()
    if any(source.dry_run for source in finished):
        return words.reindex_planned()
    return words.reindex_done_with_failures(failed, seconds) if failed else words.reindex_done(seconds)


def _summary(finished: SyncFinished, words: Words) -> str:
    counts = finished.counts
    said = [
        word(count)
        for count, word in (
            (counts.added, words.added),
            (counts.changed, words.changed),
            (counts.access_only, words.access_changed),
            (counts.metadata_only + counts.moved, words.updated),
            (counts.removed, words.removed),
            (finished.awaiting, words.held_back),
            (counts.unchanged, words.unchanged),
            (counts.failed, words.failed),
        )
        if count
    ]
    known = counts.total - counts.removed
    return " · ".join([f"{_name(finished.source)}: {words.documents(known)}", *said])


def _planned(finished: SyncFinished, words: Words) -> Iterator[str]:
    """A line for each kind of change, with the documents that it is about."""
    kinds = (
        (words.added, (DocumentState.ADDED,)),
        (words.changed, (DocumentState.CHANGED,)),
        (words.access_changed, (DocumentState.ACCESS_ONLY,)),
        (words.updated, (DocumentState.METADATA_ONLY, DocumentState.MOVED)),
        (words.removed, (DocumentState.REMOVED,)),
    )
    for word, states in kinds:
        keys = [one_line(change.key) for change in finished.changes if change.state in states]
        if keys:
            more = [words.and_more(len(keys) - _PLANNED_SHOWN)] if len(keys) > _PLANNED_SHOWN else []
            named = ", ".join([*(cut(key, _LINE_SHOWN // 2) for key in keys[:_PLANNED_SHOWN]), *more])
            yield f"{_name(finished.source)}, {word(len(keys))}: {named}"


def _warnings(finished: SyncFinished) -> Iterator[str]:
    if finished.held_back:
        yield f"{finished.source}: {finished.held_back}"
    for line in report_lines((failure.key, failure.sentence) for failure in finished.failures):
        yield f"{finished.source}, {line}"
    for warning in finished.warnings:
        yield f"{finished.source}: {warning}"


def _buttons(finished: Sequence[SyncFinished], held: Mapping[str, int], words: Words) -> list[Block]:
    """One for each source of which something was held back; what it carries is only which run is meant."""
    waiting = [source for source in finished if source.awaiting and source.source in held]
    return [
        removals_button(source.source, source.awaiting, held[source.source], words)
        for source in waiting[:_BUTTONS_SHOWN]
    ]


def removals_button(source: str, documents: int, run_id: int, words: Words) -> Block:
    """The button that lets documents go which a guard held back, and the question that Slack asks before."""
    name = cut(_name(source), _NAME_SHOWN)
    asked = blocks.confirmation(
        words.removals_title(documents),
        words.removals_text(documents, name),
        words.removals_yes(),
        words.removals_no(),
    )
    label = cut(words.removals_button(documents, name), limits.BUTTON_TEXT)
    return blocks.actions(blocks.press(label, REMOVALS_ACTION, str(run_id), asked))


def _name(source: str) -> str:
    return cut(one_line(source), _LINE_SHOWN)

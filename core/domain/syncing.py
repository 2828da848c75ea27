"""What a sync tells whoever watches it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field
from enum import StrEnum

from core.domain.contexts import ContextReport

NAMED_IN_A_LINE = 3
"""How many documents a line of the report names when it stands for more."""


class DocumentState(StrEnum):
    """What happened to a document since the last sync."""

    ADDED = "added"
    CHANGED = "changed"
    MOVED = "moved"
    """The same text under another key: a file that was renamed or put elsewhere."""
    ACCESS_ONLY = "access_only"
    METADATA_ONLY = "metadata_only"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SyncCounts:
    """How many documents a sync found in which state."""

    added: int = 0
    changed: int = 0
    access_only: int = 0
    metadata_only: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0
    moved: int = 0

    @property
    def total(self) -> int:
        """All documents that the sync met."""
        return sum(astuple(self))


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What a sync does with one document, and a sentence that says why."""

    key: str
    state: DocumentState
    reason: str


@dataclass(frozen=True, slots=True)
class SyncFailure:
    """A document that could not be read, and a sentence that says why."""

    key: str
    sentence: str


@dataclass(frozen=True, slots=True)
class SyncStarted:
    """A source is being read."""

    source: str


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """So many documents of so many are done (`total` is None while it is not known)."""

    source: str
    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class SyncFinished:
    """A source is done. `held_back` is a sentence when a guard kept the sync from removing documents."""

    source: str
    counts: SyncCounts
    seconds: float
    failures: tuple[SyncFailure, ...] = field(default=())
    warnings: tuple[str, ...] = field(default=())
    """Lines for the report; those that many documents share stand there once."""
    held_back: str = ""
    changes: tuple[DocumentChange, ...] = field(default=())
    """Every document that was not left as it was."""
    dry_run: bool = False
    """Whether this is only what would have been done."""
    redacted: Mapping[str, int] = field(default_factory=dict)
    """How many stretches of each kind were kept out of the index."""
    ocr_pages: int = 0
    """How many pages were read by OCR, in the export as a whole."""
    awaiting: int = 0
    """How many documents a guard kept that a person's word would let go; 0 where it would not help."""
    contexts: ContextReport | None = None
    """The sentences about its chunks, where a model writes them."""


SyncEvent = SyncStarted | SyncProgress | SyncFinished


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """What an export holds, as far as can be told without reading its documents."""

    name: str
    kind: str
    location: str
    documents: int
    """How many documents it seems to hold."""
    warnings: tuple[str, ...]
    """Sentences about the export as a whole: a mistake in access.toml, a link that was not followed."""


@dataclass(frozen=True, slots=True)
class ScheduledSync:
    """When a source is read by itself."""

    source: str
    schedule: str
    """As the settings say it."""
    next_run: dt.datetime | None
    missed: int = 0
    """Runs that did not take place since the last one that did, because nothing was running."""


def report_lines(sentences: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """One line for each (key, sentence), and one for all of a kind where there are many.

    Sentences are of one kind when they differ only in the document's name and in numbers.
    """
    kinds: dict[str, list[tuple[str, str]]] = {}
    for key, sentence in sentences:
        kinds.setdefault(_kind(key, sentence), []).append((key, sentence))
    lines: list[str] = []
    for kind, members in kinds.items():
        if len(members) <= NAMED_IN_A_LINE:
            lines += [f"{key}: {sentence}" if key else sentence for key, sentence in members]
            continue
        named = ", ".join(key for key, _ in members[:NAMED_IN_A_LINE])
        sentence = members[0][1] if len({sentence for _, sentence in members}) == 1 else kind
        lines.append(f"{len(members)} documents: {sentence} ({named} and {len(members) - NAMED_IN_A_LINE} more)")
    return tuple(lines)


def _kind(key: str, sentence: str) -> str:
    if not key:
        return sentence
    for name in sorted({key, *key.split("/"), key.rpartition("/")[2]}, key=len, reverse=True):
        if len(name) > 2:
            sentence = sentence.replace(name, "…")
    return re.sub(r"\d+", "…", sentence)

"""Alerts as values: what is wrong, in numbers and names of sources. No question, no title and no person is in one."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum


class AlertKind(StrEnum):
    """What is wrong."""

    COVERAGE = "coverage"
    """Fewer of the drafted claims pass the verifier than before."""
    ABSTENTIONS = "abstentions"
    """More questions end without an answer than before."""
    CHANGES = "changes"
    """Very many documents of a source changed at once."""
    FAILED = "failed"
    """A source could not be read, or not wholly."""
    LATE = "late"
    """A source was not read when it was due."""
    HIDDEN_CITED = "hidden_cited"
    """Recent answers cite documents that were hidden since."""
    LINKS = "links"
    """Links of documents do not answer."""


@dataclass(frozen=True, slots=True)
class SourceFact:
    """What an alert says of one source: `count` of `total` documents or links, or since when."""

    source: str
    count: int = 0
    total: int = 0
    since: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that is wrong. `before` and `now` are shares (0–1); `count` and `total` count what the kind counts."""

    kind: AlertKind
    before: float = 0.0
    now: float = 0.0
    count: int = 0
    total: int = 0
    sources: tuple[SourceFact, ...] = ()

"""Keep the few passages that are read: without duplicates, and the version in force before those it replaced."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.document import DocumentStatus
from core.domain.evidence import Passage
from core.index.analysis import PLAIN, terms

OUTDATED_PENALTY = 0.25
"""What a passage that is not in force loses, on the scale of `Scores.reranked` (some 0–2.5)."""
TOO_FAR = 0.55
"""Passages so far below the best are noise to a reader and to a generator."""

NEARLY_THE_SAME = 0.8
"""Share of their runs of three words that two copies have in common."""

_NEGATIONS = frozenset({"no", "not", "nunca", "never", "sin", "without", "ni", "nor", "neither", "none", "tampoco"})
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_OF_OLD = re.compile(
    r"\b(?:antigu[oa]s?|anterior(?:es)?|viej[oa]s?|obsolet[oa]s?|derogad[oa]s?|borrador(?:es)?"
    r"|old|older|former|previous|superseded|obsolete|outdated|drafts?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A passage that was not kept, and why: for `--explain`."""

    chunk_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What is kept, best first, and what was dropped."""

    kept: tuple[Passage, ...]
    dropped: tuple[Dropped, ...]


def in_force(passage: Passage, today: dt.date) -> bool:
    """Whether a passage may be cited as what holds today."""
    return (
        passage.status is DocumentStatus.IN_FORCE
        and not passage.superseded
        and (passage.valid_from is None or passage.valid_from <= today)
        and (passage.valid_until is None or today <= passage.valid_until)
    )


def asks_for_outdated(question: str) -> bool:
    """Whether a question asks for an old version or a draft by name."""
    return bool(_OF_OLD.search(question))


def prefer_in_force(ranked: Sequence[Passage], question: str, today: dt.date) -> list[Passage]:
    """Rank again with what is not in force further down, unless the question asks for it or names its very year.

    Where a title has the year that is named, titles with another are of another edition, and further down too.
    """
    years = set(_YEAR.findall(question))
    old_is_fine = asks_for_outdated(question)
    is_edition = any(years & set(_YEAR.findall(passage.title)) for passage in ranked)

    def score(passage: Passage) -> float:
        titled = set(_YEAR.findall(passage.title))
        named = years & (titled | set(_YEAR.findall(f"{passage.valid_from} {passage.valid_until}")))
        other_edition = is_edition and titled and not titled & years
        kept = (old_is_fine or named or in_force(passage, today)) and not other_edition
        return passage.scores.reranked - (0.0 if kept else OUTDATED_PENALTY)

    rescored = [replace(p, scores=replace(p.scores, reranked=score(p))) for p in ranked]
    return sorted(rescored, key=lambda p: (-p.scores.reranked, -(p.modified_at.timestamp() if p.modified_at else 0)))


def without_outdated(ranked: Sequence[Passage], question: str, today: dt.date) -> Selection:
    """Leave out what is not in force beside something that is: read together, the one would pass for the other.

    It stays where it is asked for, and where it is the best there is: then it is cited as what it is.
    """
    if not ranked or asks_for_outdated(question) or not in_force(ranked[0], today):
        return Selection(tuple(ranked), ())
    return Selection(
        tuple(p for p in ranked if in_force(p, today)),
        tuple(
            Dropped(p.chunk_id, "not in force, and something in force answers better")
            for p in ranked
            if not in_force(p, today)
        ),
    )


def select(ranked: Sequence[Passage], keep: int) -> Selection:
    """Keep the best passages, each text once, also where a copy differs in wording that matters to nobody."""
    kept: list[Passage] = []
    dropped: list[Dropped] = []
    seen: dict[str, str] = {}
    shapes: list[tuple[_Shape, str]] = []
    for passage in ranked:
        if passage.content_hash in seen:
            dropped.append(Dropped(passage.chunk_id, f"same text as {seen[passage.content_hash]}"))
            continue
        if len(kept) == keep:
            dropped.append(Dropped(passage.chunk_id, f"only {keep} passages are read"))
            continue
        if kept and kept[0].scores.reranked - passage.scores.reranked > TOO_FAR:
            dropped.append(Dropped(passage.chunk_id, "far below the best"))
            continue
        shape = _shape(passage.text)
        if twin := next((chunk_id for other, chunk_id in shapes if _nearly_the_same(shape, other)), None):
            dropped.append(Dropped(passage.chunk_id, f"nearly the same text as {twin}"))
            continue
        seen[passage.content_hash] = passage.chunk_id
        shapes.append((shape, passage.chunk_id))
        kept.append(passage)
    return Selection(tuple(kept), tuple(dropped))


@dataclass(frozen=True, slots=True)
class _Shape:
    """What two texts are compared by: runs of three words, and what may not differ."""

    runs: frozenset[tuple[str, ...]]
    telling: frozenset[str]
    """Words with a digit, and negations: twins with other figures are not copies."""


def _shape(text: str) -> _Shape:
    words = terms(text, PLAIN)
    runs = frozenset(tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2)))
    return _Shape(runs, frozenset(w for w in words if w in _NEGATIONS or any(c.isdigit() for c in w)))


def _nearly_the_same(one: _Shape, other: _Shape) -> bool:
    if one.telling != other.telling:
        return False
    return len(one.runs & other.runs) >= NEARLY_THE_SAME * len(one.runs | other.runs)

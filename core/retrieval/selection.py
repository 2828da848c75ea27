"""Keep the few passages that are read: without duplicates, and the version in force before those it replaced."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.document import DocumentStatus
from core.domain.evidence import Passage

OUTDATED_PENALTY = 0.25
"""What a passage that is not in force loses, on the scale of `Scores.reranked` (some 0–2.5)."""
TOO_FAR = 0.55
"""Passages so far below the best are noise to a reader and to a generator."""

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


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


def prefer_in_force(ranked: Sequence[Passage], question: str, today: dt.date) -> list[Passage]:
    """Rank again with what is not in force further down, unless the question names its very year."""
    years = set(_YEAR.findall(question))

    def score(passage: Passage) -> float:
        asked_for = years & set(_YEAR.findall(f"{passage.title} {passage.valid_from} {passage.valid_until}"))
        return passage.scores.reranked - (0.0 if in_force(passage, today) or asked_for else OUTDATED_PENALTY)

    rescored = [replace(p, scores=replace(p.scores, reranked=score(p))) for p in ranked]
    return sorted(rescored, key=lambda p: (-p.scores.reranked, -(p.modified_at.timestamp() if p.modified_at else 0)))


def select(ranked: Sequence[Passage], keep: int) -> Selection:
    """Keep the best passages, each text once."""
    kept: list[Passage] = []
    dropped: list[Dropped] = []
    seen: dict[str, str] = {}
    for passage in ranked:
        if passage.content_hash in seen:
            dropped.append(Dropped(passage.chunk_id, f"same text as {seen[passage.content_hash]}"))
        elif len(kept) == keep:
            dropped.append(Dropped(passage.chunk_id, f"only {keep} passages are read"))
        elif kept and kept[0].scores.reranked - passage.scores.reranked > TOO_FAR:
            dropped.append(Dropped(passage.chunk_id, "far below the best"))
        else:
            seen[passage.content_hash] = passage.chunk_id
            kept.append(passage)
    return Selection(tuple(kept), tuple(dropped))

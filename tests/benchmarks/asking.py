"""Ask the real searcher, and keep what it measured of each candidate, so that weights can be tried on other folds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.index.snapshot import Snapshot
from core.retrieval.confidence import RIVALS
from core.retrieval.search import Retrieval, Searcher
from tests.benchmarks.datasets import Asked

TODAY = dt.date(2026, 11, 29)
FEATURES = (
    "dense",
    "best_sentence",
    "coverage",
    "best_sentence_coverage",
    "interaction",
    "weakest_word",
    "names_missing",
    "holds_code",
)
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One question's candidates, in the order the searcher ranks them."""

    question: int
    article: int
    features: Floats
    """(candidates, len(FEATURES))."""
    same: Bools
    """(candidates,): in the question's language."""
    right: Bools
    """(candidates,): holds the answer."""
    documents: tuple[str, ...]
    confidence: float
    bm25: bool
    """Whether the first of the lexical half is right."""
    dense: bool
    fused: bool
    """Whether the first by reciprocal rank fusion is right."""


def ask(
    searcher: Searcher,
    questions: Iterable[tuple[int, Asked]],
    language: str,
    snapshot: Callable[[int, Asked], Snapshot],
    right: Callable[[Asked], Collection[str]],
) -> list[Seen]:
    """Ask numbered questions; `right` names the documents that answer one."""
    asked = []
    for number, question in questions:
        retrieval = searcher.search(snapshot(number, question), question.text, language, TODAY)
        asked.append(_seen(number, question, retrieval, frozenset(right(question))))
    return asked


def _seen(number: int, question: Asked, retrieval: Retrieval, right: frozenset[str]) -> Seen:
    found = retrieval.candidates
    rows = [
        (
            p.scores.dense or 0.0,
            p.scores.best_sentence,
            p.scores.coverage,
            p.scores.best_sentence_coverage,
            p.scores.interaction or 0.0,
            p.scores.weakest_word or 0.0,
            p.scores.names_missing,
            p.scores.holds_code,
        )
        for p in found
    ]
    return Seen(
        question=number,
        article=question.article,
        features=np.array(rows, np.float64).reshape(-1, len(FEATURES)),
        same=np.array([p.language == retrieval.language for p in found], bool),
        right=np.array([p.document_id in right for p in found], bool),
        documents=tuple(p.document_id for p in found),
        confidence=retrieval.confidence,
        bm25=any(p.document_id in right for p in found if p.scores.lexical_rank == 1),
        dense=any(p.document_id in right for p in found if p.scores.dense_rank == 1),
        fused=bool(found) and max(found, key=lambda p: p.scores.fused).document_id in right,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """What the decision is made from: the first passage and its distance to those after it."""

    features: Floats
    """(len(FEATURES) + 1,): the gap last."""
    same: bool
    rank: int
    """Of the first right document, from 0; a large number where none was found."""


def best_of(seen: Seen, totals: Floats) -> Best:
    """Rank a question's candidates by these totals."""
    if not len(totals):
        return Best(np.zeros(len(FEATURES) + 1), True, 1_000)
    order = np.argsort(-totals, kind="stable")
    others = totals[order[1 : RIVALS + 1]]
    gap = float(totals[order[0]] - others.mean()) if len(others) else 0.0
    documents = list(dict.fromkeys(seen.documents[i] for i in order))
    right = {seen.documents[i] for i in np.flatnonzero(seen.right)}
    rank = next((n for n, document in enumerate(documents) if document in right), 1_000)
    return Best(np.append(seen.features[order[0]], gap), bool(seen.same[order[0]]), rank)


def share(values: Sequence[bool] | Bools) -> float:
    """The share that is true."""
    return round(float(np.mean(values)), 4) if len(values) else float("nan")

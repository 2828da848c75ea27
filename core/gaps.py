"""Gaps in the documents: what people ask and are not told, gathered by what it is about.

Nothing here names a person, and the documents that are named are those that the reader of the list may open.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.domain.access import Audience, Reader
from core.domain.evidence import NearDocument
from core.embedding.base import Vectors
from core.embedding.space import VectorSpace
from core.index.reader import IndexReader
from core.retrieval.search import Searcher
from core.store.gaps import GapQuestion, GapStore
from core.text.language import language_of

ALIKE = 0.5
"""The mean cosine at which two groups of questions are about the same thing. On 32 questions about 14 things in Spanish
and English no pair of different things was joined down to 0.50, and four of five pairs of the same thing were."""
SHOWN = 20
"""Gaps of a list."""
NEAR = 3
"""Documents that are named for a gap."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_COLUMNS = (
    "question", "times", "people", "abstained", "not_helpful", "last_asked", "nearest", "owners", "suggested_answers",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Near:
    """A document near a question, and the source that it comes from."""

    document: NearDocument
    source: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions about the same thing. `question` is the most typical of them."""

    question: str
    times: int
    people: int
    abstained: int
    disliked: int
    last_asked: dt.date
    near: tuple[NearDocument, ...] = ()
    suggestions: tuple[str, ...] = ()

    @property
    def owners(self) -> tuple[str, ...]:
        """The owners of the nearest documents, each once."""
        return tuple(dict.fromkeys(document.owner for document in self.near if document.owner))


class NearestDocuments:
    """Finds the documents nearest to a question that an audience may open."""

    def __init__(self, index: IndexReader, searcher: Searcher, today: Callable[[], dt.date] = dt.date.today) -> None:
        self._index = index
        self._searcher = searcher
        self._today = today

    def near(self, question: str, reader: Reader, audience: Audience) -> tuple[Near, ...]:
        """Up to `NEAR` documents, nearest first, that the reader *and* everybody of the audience may open."""
        snapshot = self._index.snapshot(reader, audience)
        if not snapshot.rules:
            return ()
        found = self._searcher.search(snapshot, question, language_of(question), self._today())
        documents = {
            p.document_id: Near(NearDocument(p.document_id, p.title, p.uri, p.owner), p.source)
            for p in reversed(found.candidates)
        }
        order = dict.fromkeys(p.document_id for p in found.candidates)
        return tuple(documents[document_id] for document_id in list(order)[:NEAR])


class Gaps:
    """Lists the gaps of one tenant. Safe to use from several threads."""

    def __init__(
        self, store: GapStore, space: VectorSpace, nearest: NearestDocuments, *, private: bool = False
    ) -> None:
        """`private` has questions of private places listed as well."""
        self._store = store
        self._space = space
        self._nearest = nearest
        self._private = private

    def listed(
        self,
        tenant_id: str,
        since: dt.datetime,
        audience: Audience | None,
        most: int = SHOWN,
    ) -> tuple[Gap, ...]:
        """The gaps since a moment, those that most people asked about first.

        Args:
            tenant_id: whose questions.
            since: the first moment that counts.
            audience: who will read the list: the documents named are those that all of them may open. None names none.
            most: how many.
        """
        questions = self._store.questions(tenant_id, since.timestamp(), private=self._private)
        if not questions:
            return ()
        vectors = np.stack([self._space.embed_query(q.question, language_of(q.question)) for q in questions])
        groups = [_gap([questions[at] for at in group], vectors[group]) for group in grouped(vectors)]
        groups.sort(key=lambda gap: (-gap.people, -gap.times, -gap.last_asked.toordinal(), gap.question))
        return tuple(self._with_documents(gap, audience) for gap in groups[:most])

    def _with_documents(self, gap: Gap, audience: Audience | None) -> Gap:
        if audience is None or not audience.readers:
            return gap
        # Whatever everybody of an audience may read, each of its readers may.
        near = self._nearest.near(gap.question, audience.readers[0], audience)
        found = tuple(each.document for each in near)
        return Gap(
            gap.question, gap.times, gap.people, gap.abstained, gap.disliked, gap.last_asked, found, gap.suggestions
        )


def grouped(vectors: Vectors, alike: float = ALIKE) -> list[list[int]]:
    """Group vectors, (n, d) L2-normalised, by average linkage: the indices of each group, in order.

    The two groups whose members' mean cosine is highest become one, for as long as that is at least `alike`.
    """
    count = len(vectors)
    members = [[at] for at in range(count)]
    if count < 2:
        return members
    likeness = (vectors @ vectors.T).astype(np.float64)
    np.fill_diagonal(likeness, -2.0)
    sizes = np.ones(count)
    while True:
        one, other = divmod(int(np.argmax(likeness)), count)
        if likeness[one, other] < alike:
            return [sorted(group) for group in members if group]
        row = (sizes[one] * likeness[one] + sizes[other] * likeness[other]) / (sizes[one] + sizes[other])
        likeness[one, :] = likeness[:, one] = row
        likeness[other, :] = likeness[:, other] = -2.0
        likeness[one, one] = -2.0
        sizes[one] += sizes[other]
        members[one], members[other] = members[one] + members[other], []


def gaps_csv(gaps: Sequence[Gap]) -> str:
    """Gaps as CSV with a header. A cell that a spreadsheet would take for a formula begins with an apostrophe."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for gap in gaps:
        nearest = "; ".join(document.title for document in gap.near)
        row = (
            gap.question, gap.times, gap.people, gap.abstained, gap.disliked, gap.last_asked.isoformat(), nearest,
            "; ".join(gap.owners), " | ".join(gap.suggestions),
        )  # fmt: skip
        writer.writerow([_inert(cell) if isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def _gap(questions: Sequence[GapQuestion], vectors: Vectors) -> Gap:
    typical = questions[int(np.argmax((vectors @ vectors.T).sum(axis=1)))]
    last = max(question.asked_at for question in questions)
    return Gap(
        question=typical.question,
        times=len(questions),
        people=len({question.person for question in questions}),
        abstained=sum(question.is_abstained for question in questions),
        disliked=sum(question.is_disliked for question in questions),
        last_asked=dt.datetime.fromtimestamp(last, dt.UTC).date(),
        suggestions=tuple(dict.fromkeys(question.suggestion for question in questions if question.suggestion)),
    )


def _inert(cell: str) -> str:
    """OWASP, CSV injection: signs that begin a formula, also after spaces. Nothing in it drives a terminal either."""
    cell = "".join(sign for sign in cell if sign.isprintable() or sign in "\t\r\n")
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell

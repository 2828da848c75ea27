"""What only the one who asked may read, where the answer in a channel had to do without it.

The channel's answer is made, and shown, first and without any of this: neither its words nor its time say whether there
is more. A second run is made only for who may read more than everybody there, and only if the search then finds a
passage among its best that the others may not read.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.domain.access import Audience, AudienceKind
from core.domain.events import Finished, Reading
from core.domain.evidence import Answer, Passage
from core.domain.question import Question
from core.index.reader import IndexReader
from core.pipeline import Pipeline, question_language
from core.retrieval.search import Searcher


@dataclass(frozen=True, slots=True)
class PrivateAddition:
    """The claims that the channel's answer lacks. At least one of them rests on what not everybody there may read."""

    answer: Answer
    passages: tuple[Passage, ...]
    positions: tuple[int, ...]
    """Where its claims stand among those of its run."""
    whole_answer: Answer
    """What the person alone would have been told."""


class PrivateAdditions:
    """Looks for more, for one person."""

    def __init__(
        self,
        index: IndexReader,
        searcher: Searcher,
        pipeline: Pipeline,
        today: Callable[[], dt.date] = dt.date.today,
    ) -> None:
        self._index = index
        self._searcher = searcher
        self._pipeline = pipeline
        self._today = today

    async def find(self, question: Question, whole: str, common: Answer) -> PrivateAddition | None:
        """What the asker alone may read that answers better; None where there is nothing such.

        Args:
            question: as it was asked in the channel, with the channel's audience.
            whole: as it was understood.
            common: what the channel was told.

        Raises:
            TestigoError: the index or the model cannot be used.
        """
        if question.audience.kind not in {AudienceKind.TENANT, AudienceKind.MEMBERS}:
            return None
        alone = replace(question, text=whole, audience=Audience.person(question.reader), conversation="")
        book = await asyncio.to_thread(self._index.rulebook, question.reader.tenant_id)
        mine = book.visible_to(question.reader)
        shared = mine & book.visible_in(question.audience)
        if mine == shared or not await asyncio.to_thread(self._finds_more, alone, shared):
            return None
        passages: tuple[Passage, ...] = ()
        answer: Answer | None = None
        async for event in self._pipeline.ask(alone):
            match event:
                case Reading():
                    passages = event.passages
                case Finished():
                    answer = event.answer
        if answer is None:
            return None
        said = {claim.text for claim in common.claims}
        kept = [(at, claim) for at, claim in enumerate(answer.claims) if claim.text not in said]
        if not any(citation.visibility not in shared for _, claim in kept for citation in claim.citations):
            return None
        rest = replace(answer, claims=tuple(claim for _, claim in kept))
        return PrivateAddition(rest, passages, tuple(at for at, _ in kept), answer)

    def _finds_more(self, question: Question, shared: frozenset[int]) -> bool:
        snapshot = self._index.snapshot(question.reader, question.audience, question.sources)
        language = question_language(question.text, question.text)
        found = self._searcher.search(snapshot, question.text, language, self._today())
        return any(passage.rule_id not in shared for passage in found.kept)

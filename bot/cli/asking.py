"""Ask the pipeline from a terminal and draw what comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console

from bot.cli.application import Application
from bot.cli.explaining import draw_retrieval
from bot.rendering import draw_answer, facts_of
from bot.rendering.footnotes import DocumentVersion, SourceFacts
from bot.words import Words
from core.domain.access import Audience, AudienceKind
from core.domain.events import Finished, Reading
from core.domain.evidence import Answer
from core.domain.question import Question
from core.pipeline import Pipeline
from core.retrieval.search import Retrieval


@dataclass(slots=True)
class Asked:
    """An answer with what is needed to draw it."""

    answer: Answer
    facts: dict[DocumentVersion, SourceFacts]
    retrieval: Retrieval | None


@dataclass(slots=True)
class Conversation:
    """Asks questions one after another. One pipeline is made and kept."""

    application: Application
    _found: list[Retrieval] = field(default_factory=list)
    _pipeline: Pipeline | None = None

    async def ask(self, question: Question, on_event: Callable[[object], None] = lambda _: None) -> Asked:
        """Ask, and wait for the end.

        Raises:
            TestigoError: see `Pipeline.ask`.
        """
        if self._pipeline is None:
            self._pipeline = self.application.pipeline(self._found.append)
        self._found.clear()
        facts: dict[DocumentVersion, SourceFacts] = {}
        answer: Answer | None = None
        async for event in self._pipeline.ask(question):
            on_event(event)
            if isinstance(event, Reading):
                facts = facts_of(event.passages)
            if isinstance(event, Finished):
                answer = event.answer
        assert answer is not None, "the pipeline ends with Finished"
        return Asked(answer, facts, self._found[-1] if self._found else None)


def draw(console: Console, application: Application, asked: Asked, *, explain: bool = False) -> None:
    """Print an answer, and what each stage did when asked for."""
    words = Words(asked.answer.language)
    console.print(
        draw_answer(asked.answer, words, application.source_hosts, application.now(), asked.facts), highlight=False
    )
    if explain and asked.retrieval is not None:
        console.print(draw_retrieval(asked.retrieval, asked.answer))


def refusal(audience: Audience, language: str) -> str:
    """The sentence for a place where nothing may be shown, or nothing."""
    return Words(language).refused_channel() if audience.kind is AudienceKind.REFUSED else ""

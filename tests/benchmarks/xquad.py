"""The scenarios of XQuAD, asked of one index that holds both languages.

pair        the paragraphs of one language are visible; the question is in the same or the other
hard, easy  the same, without the answering paragraph, or without its whole article
either      everything is visible; the paragraph is right in either language
other       everything but the answering paragraph in the question's own language is visible
half        each article is visible in one language only, half of them in Spanish
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.index.snapshot import Snapshot
from core.retrieval.search import Searcher
from tests.benchmarks.asking import Seen, ask
from tests.benchmarks.collection import Collection, document_id, rule_of
from tests.benchmarks.datasets import Asked, QuestionSet

LANGUAGES = ("en", "es")
PAIRS = {"en": ("en", "en"), "es": ("es", "es"), "es_en": ("es", "en"), "en_es": ("en", "es")}
"""Name of a pair: language of the question, language of the paragraphs."""


@dataclass(frozen=True, slots=True)
class Strides:
    """Every how many-th question is asked in a kind of scenario."""

    pairs: int = 1
    removed: int = 1
    mixed: int = 1


@dataclass(slots=True)
class XQuad:
    """What was seen, by pair or by language of the question."""

    pairs: dict[str, list[Seen]] = field(default_factory=dict)
    hard: dict[str, list[Seen]] = field(default_factory=dict)
    easy: dict[str, list[Seen]] = field(default_factory=dict)
    either: dict[str, list[Seen]] = field(default_factory=dict)
    other: dict[str, list[Seen]] = field(default_factory=dict)
    half: dict[str, list[Seen]] = field(default_factory=dict)

    def lists(self) -> list[list[Seen]]:
        """Every scenario in which there is a right paragraph to be found."""
        return [*self.pairs.values(), *self.either.values(), *self.other.values(), *self.half.values()]


def run(sets: dict[str, QuestionSet], collection: Collection, searcher: Searcher, strides: Strides) -> XQuad:
    """Ask everything."""
    result = XQuad()
    for name, (asking, answering) in PAIRS.items():
        world = _World(sets, collection, answering)

        def right(q: Asked, answering: str = answering) -> set[str]:
            return {document_id(answering, q.paragraph)}

        def every(stride: int, asking: str = asking) -> Iterator[tuple[int, Asked]]:
            return _every(sets[asking], stride)

        result.pairs[name] = ask(searcher, every(strides.pairs), asking, world.all, right)
        result.hard[name] = ask(searcher, every(strides.removed), asking, world.without_paragraph, right)
        result.easy[name] = ask(searcher, every(strides.removed), asking, world.without_article, right)
    for own, foreign in (LANGUAGES, LANGUAGES[::-1]):
        mixed = _Mixed(sets, collection, own, foreign)
        questions = sets[own]

        def in_both(q: Asked) -> set[str]:
            return {document_id(language, q.paragraph) for language in LANGUAGES}

        def in_foreign(q: Asked, foreign: str = foreign) -> set[str]:
            return {document_id(foreign, q.paragraph)}

        result.either[own] = ask(searcher, _every(questions, strides.mixed), own, mixed.all, in_both)
        result.other[own] = ask(searcher, _every(questions, strides.mixed), own, mixed.without_own, in_foreign)
        result.half[own] = ask(searcher, _every(questions, strides.mixed), own, mixed.half, in_both)
    return result


def _every(questions: QuestionSet, stride: int) -> Iterator[tuple[int, Asked]]:
    yield from list(enumerate(questions.questions))[::stride]


class _World:
    """Readers of one language's paragraphs."""

    def __init__(self, sets: dict[str, QuestionSet], collection: Collection, language: str) -> None:
        self._collection = collection
        self._number = LANGUAGES.index(language)
        self._articles = [p.article for p in sets[language].paragraphs]
        self._rules = {rule_of(self._number, p) for p in range(len(self._articles))}

    def all(self, _: int, question: Asked) -> Snapshot:
        return self._collection.seen(self._rules)

    def without_paragraph(self, _: int, question: Asked) -> Snapshot:
        return self._collection.seen(self._rules - {rule_of(self._number, question.paragraph)})

    def without_article(self, _: int, question: Asked) -> Snapshot:
        gone = {rule_of(self._number, p) for p, a in enumerate(self._articles) if a == question.article}
        return self._collection.seen(self._rules - gone)


class _Mixed:
    """Readers of both languages."""

    def __init__(self, sets: dict[str, QuestionSet], collection: Collection, own: str, foreign: str) -> None:
        self._collection = collection
        self._own = LANGUAGES.index(own)
        articles = [p.article for p in sets[own].paragraphs]
        self._rules = {rule_of(number, p) for number in (0, 1) for p in range(len(articles))}
        self._half = {rule_of(article % 2, p) for p, article in enumerate(articles)}

    def all(self, _: int, question: Asked) -> Snapshot:
        return self._collection.seen(self._rules)

    def without_own(self, _: int, question: Asked) -> Snapshot:
        return self._collection.seen(self._rules - {rule_of(self._own, question.paragraph)})

    def half(self, _: int, question: Asked) -> Snapshot:
        return self._collection.seen(self._half)

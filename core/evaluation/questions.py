"""A question set: JSON lines, each a question with what a right answer must quote, or `unanswerable`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.errors import EvaluationError

FINGERPRINT_DIGITS = 12


class Place(BaseModel):
    """Where a fact stands. Without a quote the section, without a section the document is what has to be cited."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    document: str = Field(min_length=1)
    """The document's id, or `source/key`."""
    section: str = ""
    """The nearest heading above; the sheet's name in a workbook."""
    quote: str = ""
    """The exact sentence, cell or code; white space counts as one space."""
    row: tuple[str, ...] = ()
    """In a table, the cells of its row, in order: so that the `25` of one row is not that of another."""

    @model_validator(mode="after")
    def _quote_is_a_cell(self) -> Self:
        if self.row and self.quote not in self.row:
            raise ValueError("quote has to be one of the cells of row")
        return self


class Fact(Place):
    """What an answer has to quote, here or at one of `alternatives`."""

    alternatives: tuple[Place, ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """Everywhere it may be quoted from."""
        return (self, *self.alternatives)


class SetQuestion(BaseModel):
    """One line of a set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    language: str = Field(pattern=r"^[a-z]{2,3}$")
    """The question's, not the document's."""
    expected: tuple[Fact, ...] = ()
    unanswerable: bool = False
    """Whether "I cannot find it" is the right answer, to this asker."""
    answer: str = ""
    """A short reference answer, for token F1, people and judges."""
    asker: str | None = None
    """E-mail address; without one, somebody who reads what is open to everyone."""
    channel: str | None = None
    """Where the answer would be seen; without one, only by who asks."""
    previous: str | None = None
    """The question asked just before in the same thread."""
    forbidden: tuple[str, ...] = ()
    """Documents that must not be cited, nor named where there is no answer."""
    forbidden_text: tuple[str, ...] = ()
    """What must not stand anywhere in the answer."""
    tags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_answerable_or_not(self) -> Self:
        if self.unanswerable and self.expected:
            raise ValueError("an unanswerable question has nothing in expected")
        if not self.unanswerable and not self.expected:
            raise ValueError("name what is expected, or say unanswerable: true")
        return self

    @property
    def fingerprint(self) -> str:
        """Tells whether two runs asked the same, and expected the same."""
        asked = self.model_dump_json(exclude={"tags"})
        return hashlib.sha256(asked.encode()).hexdigest()[:FINGERPRINT_DIGITS]

    @property
    def documents(self) -> frozenset[str]:
        """Names of all documents that the line speaks of."""
        return frozenset({place.document for fact in self.expected for place in fact.places} | set(self.forbidden))


def load_questions(path: Path) -> tuple[SetQuestion, ...]:
    """Read a set; blank lines are passed over.

    Raises:
        EvaluationError: a line is wrong; the sentence names it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise EvaluationError(f"The question set {path} cannot be read ({type(error).__name__}).") from None
    questions: dict[str, SetQuestion] = {}
    followed: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        question = _parse(path, number, line)
        for wrong in _wrong_in_context(question, questions, followed):
            raise EvaluationError(f"{path}, line {number}: {wrong}")
        if question.previous is not None:
            followed.add(question.previous)
        questions[question.id] = question
    if not questions:
        raise EvaluationError(f"The question set {path} is empty: write a question a line.")
    return tuple(questions.values())


def _parse(path: Path, number: int, line: str) -> SetQuestion:
    try:
        return SetQuestion.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        # The parser counts lines within the line.
        said = first["msg"].removeprefix("Value error, ").replace(" at line 1 column ", " at column ")
        raise EvaluationError(f"{path}, line {number}: {where}{': ' if where else ''}{said}.") from None


def _wrong_in_context(question: SetQuestion, before: dict[str, SetQuestion], followed: set[str]) -> Iterator[str]:
    if question.id in before:
        yield f"the id {question.id!r} is taken by a line before."
    if question.previous is None:
        return
    if question.previous not in before:
        yield f"previous {question.previous!r} is not the id of a line before this one."
    if question.previous in followed:
        yield f"{question.previous!r} has a follow-up already: a thread goes on from its last question."

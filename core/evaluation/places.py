"""Where expected facts stand in passages and citations: by offsets, so that a `25` of another row is no hit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.domain.evidence import Citation, Passage
from core.evaluation.questions import Fact, Place
from core.text.canonical import CELL_SEPARATOR

DocumentIds = Mapping[str, str]
"""From the names that a set uses to document ids; what the index does not have is missing."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A slice of a version that says a fact; offsets in code points of its canonical text."""

    document_id: str
    document_version: int
    start: int
    end: int

    def within(self, citation: Citation) -> bool:
        """Whether a citation's quote holds all of it."""
        return (
            citation.document_id == self.document_id
            and citation.document_version == self.document_version
            and citation.start_offset <= self.start
            and self.end <= citation.end_offset
        )


def spots(fact: Fact, passages: Iterable[Passage], ids: DocumentIds) -> frozenset[Spot]:
    """Every slice of these passages that says a fact word by word. None for a fact without a quote."""
    return frozenset(
        Spot(passage.document_id, passage.document_version, passage.start + start, passage.start + end)
        for passage in passages
        for place in fact.places
        if place.quote and ids.get(place.document) == passage.document_id
        for start, end in _slices(place, passage.text)
    )


def holds(passage: Passage, fact: Fact, ids: DocumentIds) -> bool:
    """Whether a passage says a fact, or is of its section or document where no quote is given."""
    return any(_is_at(passage, place) for place in fact.places if ids.get(place.document) == passage.document_id)


def is_cited_at(citation: Citation, fact: Fact, ids: DocumentIds) -> bool:
    """Whether a citation is from the fact's document and section, whatever it quotes there."""
    return any(
        ids.get(place.document) == citation.document_id and (not place.section or _in(place, citation.section_path))
        for place in fact.places
    )


def _is_at(passage: Passage, place: Place) -> bool:
    if place.quote:
        return next(_slices(place, passage.text), None) is not None
    # A chunk of several small sections has no path of its own; its headings stand in its text.
    heads = (*passage.section_path, *passage.text.split("\n"))
    return not place.section or _in(place, heads)


def _in(place: Place, headings: Iterable[str]) -> bool:
    wanted = _one_line(place.section)
    return any(_one_line(heading) == wanted for heading in headings)


def _slices(place: Place, text: str) -> Iterator[tuple[int, int]]:
    if place.row:
        yield from _cells(place, text)
        return
    pattern = r"\s+".join(map(re.escape, place.quote.split()))
    for match in re.finditer(pattern, text):
        yield match.span()


def _cells(place: Place, text: str) -> Iterator[tuple[int, int]]:
    """The cell that is the quote, in each line whose cells are those of the row."""
    wanted = [_one_line(cell) for cell in place.row]
    at = 0
    for line in text.split("\n"):
        cells = line.split(CELL_SEPARATOR)
        if [_one_line(cell) for cell in cells] == wanted:
            column = place.row.index(place.quote)
            start = at + sum(len(cell) + len(CELL_SEPARATOR) for cell in cells[:column])
            yield start, start + len(cells[column])
        at += len(line) + 1


def _one_line(text: str) -> str:
    return " ".join(text.split())

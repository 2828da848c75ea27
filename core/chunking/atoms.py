"""The smallest pieces that a chunk is built from: a sentence, an item, a table row, a piece of code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from core.domain.document import BlockKind, BlockSpan, CanonicalText
from core.text.sentences import Span, block_units

LONGEST_ATOM = 1_200
"""Code points. A row, an item or a piece of code up to this length is never cut, nor is a sentence."""
PIECE = 900
"""Code points. What is longer is cut into pieces of about this length, at blanks."""

_WHOLE = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW, BlockKind.CODE})


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of the canonical text that goes into a chunk whole. Starts and ends with a visible character."""

    start: int
    end: int
    block: int
    """The index of its block."""
    kind: BlockKind
    section: int


def atoms_of(canonical: CanonicalText) -> Iterator[Atom]:
    """Cut a version into atoms that together hold every visible character, in order and without overlap."""
    for index, block in enumerate(canonical.blocks):
        for start, end in _cut(canonical.text, block):
            yield Atom(start, end, index, block.kind, block.section)


def quotable_units(canonical: CanonicalText) -> tuple[tuple[Span, BlockKind], ...]:
    """Find each unit that can be quoted (see `sentence_spans`) with its kind; one too long for a chunk is in pieces."""
    return tuple(
        (piece, block.kind)
        for block in canonical.blocks
        for unit in block_units(canonical.text, block)
        for piece in _pieces(canonical.text, *unit)
    )


def _cut(text: str, block: BlockSpan) -> Iterator[Span]:
    start, end = trim(text, block.start, block.end)
    if start == end:
        return
    if block.kind in _WHOLE and end - start <= LONGEST_ATOM:
        yield start, end
        return
    units = block_units(text, block)
    # An atom runs up to the next one, so that what stands between units (the bars between cells) is in one of them.
    edges = [start, *(unit_start for unit_start, _ in units[1:]), end]
    for left, right in pairwise(edges):
        yield from _pieces(text, *trim(text, left, right))


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """Cut what is too long at blanks, or anywhere when there are none."""
    while end - start > LONGEST_ATOM:
        cut = max(
            text.rfind(" ", start + PIECE // 2, start + PIECE), text.rfind("\n", start + PIECE // 2, start + PIECE)
        )
        cut = cut if cut > 0 else start + PIECE
        yield trim(text, start, cut)
        start, end = trim(text, cut, end)
    if start < end:
        yield start, end


def trim(text: str, start: int, end: int) -> Span:
    """Leave out the blanks at either end of a span."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

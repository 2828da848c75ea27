"""Rows of tables as evidence: which heading stands over which cell, and claims that render a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain.document import BlockKind, BlockSpan
from core.domain.evidence import EvidencePassage
from core.verification.folding import fold
from core.verification.passages import block_at
from core.verification.units import units_mentioned
from core.verification.value_forms import extract_values
from core.verification.values import Value, with_unit

Span = tuple[int, int]

_PARTS = re.compile(r"\s+·\s+")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a row and the heading of its column (empty where there is none)."""

    heading: str
    text: str
    column: int
    span: Span


def row_at(passage: EvidencePassage, span: Span) -> BlockSpan | None:
    """The table row in which a slice begins."""
    block = block_at(passage, span[0])
    return block if block is not None and block.kind is BlockKind.TABLE_ROW else None


def cells_of_row(passage: EvidencePassage, row: BlockSpan) -> tuple[Cell, ...]:
    """The cells of a row under their headings."""
    header = _header_of(passage, row)
    text = passage.document_text
    headings = [text[start:end] for start, end in header.cells] if header is not None else []
    return tuple(
        Cell(headings[column] if column < len(headings) else "", text[start:end], column, (start, end))
        for column, (start, end) in enumerate(row.cells)
    )


def values_in_cells(passage: EvidencePassage, row: BlockSpan, span: Span, language: str) -> Iterator[Value]:
    """The values in the cells that a slice covers; a bare number has the unit that its column's heading names."""
    for cell in cells_of_row(passage, row):
        if cell.span[0] < span[0] or cell.span[1] > span[1]:
            continue
        values = extract_values(cell.text, language)
        units = units_mentioned(cell.heading)
        yield from with_unit(values, next(iter(units))) if len(units) == 1 else values


def renders_row(text: str, slices: Sequence[tuple[EvidencePassage, Span]]) -> tuple[bool, str]:
    """Whether a text reads `Heading: cell · Heading: cell` of one cited row; and the row's key where it is left out."""
    parts = _PARTS.split(text.strip())
    for passage, span in slices:
        row = row_at(passage, span)
        if row is None:
            continue
        cells = [cell for cell in cells_of_row(passage, row) if span[0] <= cell.span[0] and cell.span[1] <= span[1]]
        shown = _matched(parts, cells)
        if shown is not None:
            key = next((cell for cell in cells_of_row(passage, row) if cell.column == 0 and cell.text), None)
            return True, "" if key is None or key.column in shown else key.text
    return False, ""


def _matched(parts: Sequence[str], cells: Sequence[Cell]) -> set[int] | None:
    """The columns that the parts show, or None where one of them is no cell under its own heading."""
    shown: set[int] = set()
    for part in parts:
        folded = fold(part).text.strip()
        cell = next((cell for cell in cells if cell.column not in shown and folded == _rendered(cell)), None)
        if cell is None:
            return None
        shown.add(cell.column)
    return shown


def _rendered(cell: Cell) -> str:
    text = fold(cell.text).text.strip()
    heading = fold(cell.heading).text.strip().rstrip(":")
    return f"{heading}: {text}" if heading else text


def _header_of(passage: EvidencePassage, row: BlockSpan) -> BlockSpan | None:
    header = None
    for block in passage.blocks:
        if block.start >= row.start:
            break
        if block.kind is BlockKind.TABLE_HEADER and block.table == row.table:
            header = block
    return header

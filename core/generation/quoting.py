"""Claims in a document's own words."""

from __future__ import annotations

from bisect import bisect_right

from core.domain.document import BlockKind, BlockSpan
from core.domain.evidence import ClaimKind, DraftClaim, DraftQuote, EvidencePassage


class Layout:
    """The blocks of a passage's document, ready to be asked what stands where."""

    def __init__(self, delivered: EvidencePassage) -> None:
        self._blocks = delivered.blocks
        self._starts = [block.start for block in delivered.blocks]
        self._headings = [block for block in delivered.blocks if block.kind is BlockKind.HEADING]
        self._headers: dict[int, list[BlockSpan]] = {}
        for block in delivered.blocks:
            if block.kind is BlockKind.TABLE_HEADER and block.table is not None:
                self._headers.setdefault(block.table, []).append(block)

    def block(self, offset: int) -> BlockSpan:
        """The block that an offset lies in; a paragraph where there is none."""
        place = bisect_right(self._starts, offset) - 1
        if place >= 0 and offset < self._blocks[place].end:
            return self._blocks[place]
        return BlockSpan(BlockKind.PARAGRAPH, offset, offset, 0)

    def header(self, row: BlockSpan) -> BlockSpan | None:
        """The header row over a row of a table; of several, the lowest, whose names are the most exact."""
        headers = self._headers.get(row.table, []) if row.table is not None else []
        return next((header for header in reversed(headers) if header.start < row.start), None)

    def heading(self, offset: int) -> BlockSpan | None:
        """The last heading before an offset."""
        place = bisect_right(self._headings, offset, key=lambda block: block.start) - 1
        return self._headings[place] if place >= 0 else None


def quoted(delivered: EvidencePassage, start: int, end: int) -> DraftClaim:
    """A slice of a passage's document as a claim; of a table, the whole row, read under its header."""
    text = delivered.document_text
    quote = text[start:end]
    layout = Layout(delivered)
    block = layout.block(start)
    if block.kind is not BlockKind.TABLE_ROW:
        return DraftClaim(quote, ClaimKind.QUOTE, (DraftQuote(delivered.label, quote),))
    header = layout.header(block)
    row = text[block.start : block.end]
    if header is None:
        return DraftClaim(row, ClaimKind.QUOTE, (DraftQuote(delivered.label, row),))
    quotes = (DraftQuote(delivered.label, text[header.start : header.end]), DraftQuote(delivered.label, row))
    return DraftClaim(_read_row(text, header, block), ClaimKind.QUOTE, quotes)


def _read_row(text: str, header: BlockSpan, row: BlockSpan) -> str:
    """A row as a person reads it: `City: Madrid · Limit: 120 €`."""
    parts = []
    for index, (start, end) in enumerate(row.cells):
        cell = text[start:end].strip()
        name = text[slice(*header.cells[index])].strip() if index < len(header.cells) else ""
        if cell:
            parts.append(f"{name}: {cell}" if name and name != cell else cell)
    return " · ".join(parts)

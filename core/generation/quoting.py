"""Claims in a document's own words."""

from __future__ import annotations

from core.domain.document import BlockKind, BlockSpan
from core.domain.evidence import ClaimKind, DraftClaim, DraftQuote, EvidencePassage


def block_at(delivered: EvidencePassage, offset: int) -> BlockSpan:
    """The block that an offset lies in; a paragraph where there is none."""
    for block in delivered.blocks:
        if block.start <= offset < block.end:
            return block
    return BlockSpan(BlockKind.PARAGRAPH, offset, offset, 0)


def quoted(delivered: EvidencePassage, start: int, end: int) -> DraftClaim:
    """A slice of a passage's document as a claim; of a table, the whole row, read under its header."""
    text = delivered.document_text
    quote = text[start:end]
    block = block_at(delivered, start)
    if block.kind is not BlockKind.TABLE_ROW:
        return DraftClaim(quote, ClaimKind.QUOTE, (DraftQuote(delivered.label, quote),))
    header = next((b for b in delivered.blocks if b.table == block.table and b.kind is BlockKind.TABLE_HEADER), None)
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

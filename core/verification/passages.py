"""What the index of blocks says of places in a passage's document: headings, cells, sections, code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from core.domain.document import BlockKind, BlockSpan
from core.domain.evidence import EvidencePassage
from core.verification.folding import presentation_equal

Span = tuple[int, int]

_CELL_LINE = re.compile(r"[^\n]* \| [^\n]*")
_LONGEST_TITLE = 200


def is_heading(passage: EvidencePassage, span: Span) -> bool:
    """Whether a slice is a title or a heading (a table's header row too) and so proves nothing alone."""
    block = block_at(passage, span[0])
    if block is not None and block.end >= span[1]:
        if block.kind in (BlockKind.HEADING, BlockKind.TABLE_HEADER):
            return True
        if block.kind is not BlockKind.PARAGRAPH:
            return False
    if span[1] - span[0] > _LONGEST_TITLE:
        return False
    text = passage.document_text[slice(*span)]
    return any(presentation_equal(text, name) for name in (passage.passage.title, *passage.passage.section_path))


def block_at(passage: EvidencePassage, offset: int) -> BlockSpan | None:
    """The block in which an offset lies."""
    blocks = passage.blocks
    index = bisect_right(blocks, offset, key=_block_start) - 1
    return blocks[index] if index >= 0 and offset < blocks[index].end else None


def section_of(passage: EvidencePassage, span: Span) -> int:
    """The number of the section in which a slice begins; -1 where the blocks do not say."""
    block = block_at(passage, span[0])
    return block.section if block is not None else -1


def cells_of(passage: EvidencePassage) -> Iterator[Span]:
    """The table cells that lie whole in the passage."""
    chunk = passage.passage
    for start, end in _all_cells(passage):
        if chunk.start <= start and end <= chunk.end and start < end:
            yield start, end


def rows_of(passage: EvidencePassage) -> Iterator[Span]:
    """The rows of tables that stand in the delivered part, each whole cells in order: a short one says enough."""
    chunk = passage.passage
    for block in passage.blocks:
        if block.kind is BlockKind.TABLE_ROW and chunk.start <= block.start and block.end <= chunk.end:
            yield block.start, block.end


def _all_cells(passage: EvidencePassage) -> Iterator[Span]:
    chunk = passage.passage
    if passage.blocks:
        first = max(0, bisect_right(passage.blocks, chunk.start, key=_block_start) - 1)
        for block in passage.blocks[first:]:
            if block.start >= chunk.end:
                return
            yield from block.cells
        return
    for line in _CELL_LINE.finditer(passage.document_text, chunk.start, chunk.end):
        start = line.start()
        for cell in line[0].split(" | "):
            yield start, start + len(cell)
            start += len(cell) + 3


def is_code_line(passage: EvidencePassage, text: str) -> bool:
    """Whether a text is a whole line of a code block that the passage touches."""
    chunk = passage.passage
    return any(
        block.kind is BlockKind.CODE
        and block.start < chunk.end
        and block.end > chunk.start
        and text in (line.strip() for line in passage.document_text[block.start : block.end].split("\n"))
        for block in passage.blocks
    )


def _block_start(block: BlockSpan) -> int:
    return block.start

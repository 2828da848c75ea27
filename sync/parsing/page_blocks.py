"""Lines and tables of pages to headings, paragraphs, items and table rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import count

from core.domain.document import Block, BlockKind
from sync.parsing.pdf_lines import Line, Piece, TablePiece, running_lines
from sync.parsing.pdf_text import body_size, heading_levels, join_lines, starts_block
from sync.parsing.sheets import is_header

READ_BY_OCR = "ocr"
"""The label of blocks that stand on a scanned page: their letters may be wrong."""

_BULLET = re.compile(r"^(?:\(cid:\d+\)|[•●○▪■◦‣·–—*\-\uf0b7\uf0a7])\s+")
_NUMBERED = re.compile(r"^(?:\d{1,2}[.)]|[a-z]\))\s+")


class PageBlocks:
    """Turns the lines and tables of all pages into blocks. Blocks with text that OCR read are labelled so."""

    def __init__(self, pages: Sequence[Sequence[Piece]], read_by_ocr: Collection[int] = ()) -> None:
        self._read_by_ocr = frozenset(read_by_ocr)
        running = running_lines(pages)
        self._pages = [
            [piece for piece in page if not (isinstance(piece, Line) and piece.key in running)] for page in pages
        ]
        lines = [piece for page in self._pages for piece in page if isinstance(piece, Line)]
        self._body = body_size(lines)
        self._levels = heading_levels(lines, self._body)
        self._words = Counter(word for line in lines for word in line.text.split())
        self._tables = count(1)
        self._out: list[Block] = []
        self._open_table: tuple[int, tuple[str, ...]] | None = None

    def blocks(self) -> list[Block]:
        """All blocks, in reading order. Pages count from 1."""
        for number, page in enumerate(self._pages, start=1):
            lines: list[Line] = []
            for piece in page:
                if isinstance(piece, Line):
                    lines.append(piece)
                    continue
                self._text(lines, number)
                self._table(piece, number, goes_on=not lines and piece is page[0])
                lines = []
            self._text(lines, number)
            if lines:
                self._open_table = None
        return self._out

    def _text(self, lines: Sequence[Line], page: int) -> None:
        run: list[Line] = []
        for line in lines:
            if run and starts_block(run[-1], line, self._level(run[-1]), self._level(line)):
                self._end(run, page)
                run = []
            run.append(line)
        if run:
            self._end(run, page)

    def _level(self, line: Line) -> int:
        """1–6 for a heading, 0 for other lines."""
        return self._levels.get(line.style, 0) if len(line.text) <= 200 else 0

    def _end(self, run: Sequence[Line], page: int) -> None:
        text = join_lines([line.text for line in run], self._words)
        level = self._level(run[0])
        label = READ_BY_OCR if page in self._read_by_ocr else ""
        if level:
            self._out.append(Block(BlockKind.HEADING, text, level=level, page=page, label=label))
        elif bullet := _BULLET.match(text):
            self._out.append(Block(BlockKind.LIST_ITEM, text[bullet.end() :], page=page, label=label))
        elif _NUMBERED.match(text):
            self._out.append(Block(BlockKind.LIST_ITEM, text, page=page, label=label))
        elif self._continues(text, page):
            before = self._out[-1]
            joined = join_lines([before.text, text], self._words)
            self._out[-1] = replace(before, text=joined, label=before.label or label)
        else:
            self._out.append(Block(BlockKind.PARAGRAPH, text, page=page, label=label))

    def _continues(self, text: str, page: int) -> bool:
        """Whether a paragraph is the rest of the last one on the page before."""
        if not self._out or not text[:1].islower():
            return False
        before = self._out[-1]
        prose = before.kind in {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM}
        return prose and before.page == page - 1 and before.text[-1:] not in ".:!?…"

    def _table(self, piece: TablePiece, page: int, goes_on: bool) -> None:
        """Add a table, or the rest of the one that ended the page before."""
        rows = list(piece.rows)
        before = self._open_table
        if goes_on and before is not None and len(before[1]) == len(rows[0]):
            number, first_row = before
            has_header = False
            if rows[0] == first_row:  # the header that is printed again on each page
                del rows[0]
        else:
            number, first_row = next(self._tables), rows[0]
            has_header = is_header(rows)
        self._open_table = (number, first_row)
        for index, cells in enumerate(rows):
            kind = BlockKind.TABLE_HEADER if has_header and index == 0 else BlockKind.TABLE_ROW
            self._out.append(Block(kind, cells=tuple(self._cell(cell) for cell in cells), table=number, page=page))

    def _cell(self, text: str) -> str:
        return join_lines(text.split("\n"), self._words)

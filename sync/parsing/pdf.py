"""PDF: pages to lines, lines to headings, paragraphs, items and tables."""

from __future__ import annotations

import datetime as dt
import io
import logging
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect

from core.domain.document import Block, BlockKind
from core.errors import ParsingError
from sync.parsing.limits import check_size
from sync.parsing.parsed import Hints, ParsedFile
from sync.parsing.pdf_lines import Line, Piece, TablePiece, read_page, running_lines
from sync.parsing.pdf_text import body_size, heading_levels, join_lines, starts_block
from sync.parsing.sheets import is_header

MOST_PAGES = 2_000

logging.getLogger("pdfminer").setLevel(logging.ERROR)  # it warns of every font that it has to guess at

_BULLET = re.compile(r"^(?:\(cid:\d+\)|[•●○▪■◦‣·–—*\-\uf0b7\uf0a7])\s+")
_NUMBERED = re.compile(r"^(?:\d{1,2}[.)]|[a-z]\))\s+")
_PDF_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?")
_USELESS_TITLE = re.compile(
    r"^(microsoft word\b.*|untitled|sin título|.*\.(?:docx?|pptx?|xlsx?|pdf|indd))$", re.IGNORECASE
)


def parse_pdf(data: bytes, name: str) -> ParsedFile:
    """Read a PDF that has a text layer.

    Raises:
        ParsingError: the file is too large, broken, protected, or has no text and needs OCR.
    """
    check_size(data, name)
    try:
        with pdfplumber.open(io.BytesIO(data)) as pdf:
            pages = [list(read_page(page)) for page in pdf.pages[:MOST_PAGES]]
            images = sum(bool(page.images) and not pieces for page, pieces in zip(pdf.pages, pages, strict=False))
            count_of_pages, metadata = len(pdf.pages), dict(pdf.metadata or {})
    except ParsingError:
        raise
    except Exception as error:  # pdfminer lets any built-in error through on malformed input
        raise _refusal(error, name) from error
    if not any(pages):
        raise ParsingError(f"{name} has no text: it needs OCR.")
    blocks = _Builder(pages).blocks()
    notes = []
    if images:
        notes.append(f"{images} of its {count_of_pages} pages are pictures without text and need OCR.")
    if count_of_pages > MOST_PAGES:
        notes.append(f"Only its first {MOST_PAGES} of {count_of_pages} pages were read.")
    first_heading = next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
    return ParsedFile(_title(metadata) or first_heading, tuple(blocks), _hints(metadata), warnings=tuple(notes))


def _refusal(error: Exception, name: str) -> ParsingError:
    causes = (error, *error.args, error.__cause__, error.__context__)
    if any(isinstance(cause, PDFPasswordIncorrect) for cause in causes):
        return ParsingError(f"{name} is protected by a password.")
    return ParsingError(f"{name} is broken: it cannot be read as PDF.")


class _Builder:
    """Turns the lines and tables of all pages into blocks."""

    def __init__(self, pages: Sequence[Sequence[Piece]]) -> None:
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
        if level:
            self._out.append(Block(BlockKind.HEADING, text, level=level, page=page))
        elif bullet := _BULLET.match(text):
            self._out.append(Block(BlockKind.LIST_ITEM, text[bullet.end() :], page=page))
        elif _NUMBERED.match(text):
            self._out.append(Block(BlockKind.LIST_ITEM, text, page=page))
        elif self._continues(text, page):
            before = self._out[-1]
            self._out[-1] = replace(before, text=join_lines([before.text, text], self._words))
        else:
            self._out.append(Block(BlockKind.PARAGRAPH, text, page=page))

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


def _title(metadata: dict[str, Any]) -> str:
    title = str(metadata.get("Title") or "").strip()
    return "" if _USELESS_TITLE.match(title) else title


def _hints(metadata: dict[str, Any]) -> Hints:
    match = _PDF_DATE.match(str(metadata.get("ModDate") or metadata.get("CreationDate") or ""))
    modified = None
    if match is not None:
        year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups())
        try:
            modified = dt.datetime(year or 1, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=dt.UTC)
        except ValueError:
            modified = None
    author = str(metadata.get("Author") or "").strip()
    return Hints(author="" if author in {"anonymous", "unspecified"} else author, modified_at=modified)

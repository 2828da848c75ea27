"""The one normal form of a document's text, made once, when it is read.

    blocks  ──clean──►  pieces  ──join──►  CanonicalText (text, block spans, sections)

The text is NFC, breaks lines with "\\n" only, and holds no control, zero-width, soft-hyphen or bidi-control characters:
they are invisible, break words in two for search, and are used to hide text from people but not from models. What is
visible is kept, code character by character. Every offset elsewhere in Testigo is an offset into this text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from core.domain.document import Block, BlockKind, BlockSpan, CanonicalText, Section

CELL_SEPARATOR = " | "

_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls (tab, line feed and what is a line break are dealt with before)
    "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"  # zero width, bidi
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # surrogates (not encodable) and noncharacters
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"  # tags and selectors that can carry a whole hidden text
)
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r" ?\n[ \n]*")

_LIST = frozenset({BlockKind.LIST_ITEM})
_ROWS = frozenset({BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW})


def clean_code(text: str) -> str:
    """Make code canonical: its blanks and empty lines stay, only line breaks and invisible characters change."""
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", _LINE_BREAK.sub("\n", text)))
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join(lines)


def clean_prose(text: str) -> str:
    """Make prose canonical: each run of blanks is a space, each run of line breaks one, none at either end."""
    if text.isascii() and text.isprintable():  # by far the most frequent, and a third of the time
        return " ".join(text.split())
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", _LINE_BREAK.sub("\n", text)))
    return _BLANK_LINES.sub("\n", _BLANKS.sub(" ", text)).strip()


def clean_line(text: str) -> str:
    """Make prose canonical and put it on one line (titles, headings)."""
    return clean_prose(text).replace("\n", " ")


def canonicalise(blocks: Iterable[Block]) -> CanonicalText:
    """Join blocks into a version's canonical text.

    Blocks are parted by an empty line; list items, and rows of one table, by a line break; cells by " | ". Line
    breaks inside a paragraph, an item or a cell stay. Blocks without visible text leave no trace, except that an empty
    heading ends the section before it as if it were not there.
    """
    return _Builder().build(blocks)


class _Builder:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._spans: list[BlockSpan] = []
        self._sections: list[Section] = []
        self._path: list[tuple[int, str]] = []
        self._section_start = 0

    def build(self, blocks: Iterable[Block]) -> CanonicalText:
        for block in blocks:
            cells: tuple[str, ...] = ()
            if block.cells or block.kind in _ROWS:
                cells = _trim_right(tuple(clean_prose(cell) for cell in block.cells or (block.text,)))
                text = CELL_SEPARATOR.join(cells)
            elif block.kind is BlockKind.CODE:
                text = clean_code(block.text)
            elif block.kind is BlockKind.HEADING:
                text = clean_line(block.text)
            else:
                text = clean_prose(block.text)
            if text:
                self._append(block, text, cells)
        self._close_section()
        return CanonicalText("".join(self._parts), tuple(self._spans), tuple(self._sections))

    def _append(self, block: Block, text: str, cells: tuple[str, ...]) -> None:
        separator = _separator(self._spans[-1], block) if self._spans else ""
        start = self._length + len(separator)
        if block.kind is BlockKind.HEADING:
            self._open_section(start, block.level or 1, text)
        self._spans.append(
            BlockSpan(
                block.kind,
                start,
                start + len(text),
                section=len(self._sections),
                level=block.level,
                page=block.page,
                table=block.table,
                label=clean_line(block.label),
                cells=_cell_spans(cells, start, len(block.cells)),
            )
        )
        self._parts += (separator, text)
        self._length = start + len(text)

    def _open_section(self, start: int, level: int, heading: str) -> None:
        self._close_section(start)
        self._path = [(depth, text) for depth, text in self._path if depth < level]
        self._path.append((level, heading))

    def _close_section(self, end: int | None = None) -> None:
        end = self._length if end is None else end
        path = tuple(text for _, text in self._path)
        self._sections.append(Section(len(self._sections), path, self._section_start, end))
        self._section_start = end


def _separator(before: BlockSpan, block: Block) -> str:
    same_list = before.kind in _LIST and block.kind in _LIST
    same_table = before.kind in _ROWS and block.kind in _ROWS and before.table == block.table
    return "\n" if same_list or same_table else "\n\n"


def _trim_right(cells: tuple[str, ...]) -> tuple[str, ...]:
    while cells and not cells[-1]:
        cells = cells[:-1]
    return cells


def _cell_spans(cells: tuple[str, ...], start: int, count: int) -> tuple[tuple[int, int], ...]:
    """Place each cell; empty cells at the right end, which the text leaves out, stand at the row's end."""
    spans = []
    position = start
    for cell in cells:
        spans.append((position, position + len(cell)))
        position += len(cell) + len(CELL_SEPARATOR)
    end = spans[-1][1] if spans else start
    spans.extend((end, end) for _ in range(count - len(cells)))
    return tuple(spans)

"""Word documents: paragraphs by style, lists by their numbering, tables with merged cells, footnotes."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import docx
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml import etree

from core.domain.document import Block, BlockKind
from sync.parsing.limits import LIMITS, FileLimits, check_package, check_size, refusing_broken
from sync.parsing.office import hints_from_properties
from sync.parsing.parsed import ParsedFile
from sync.parsing.sheets import is_header

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"(?:heading|título|titulo|überschrift|titre|titolo|kop) ?(\d)", re.IGNORECASE)
_LIST_STYLE = re.compile(r"^list (?:bullet|number|paragraph)(?: (\d))?$", re.IGNORECASE)
_CODE_STYLE = re.compile(r"code|preformatted|source|código", re.IGNORECASE)


def parse_docx(data: bytes, name: str, limits: FileLimits = LIMITS) -> ParsedFile:
    """Read a document in the format of Word since 2007.

    Raises:
        ParsingError: the file is too large, broken, or protected.
    """
    check_size(data, name, limits)
    check_package(data, name, limits)
    with refusing_broken(name, "a Word document"):
        document = docx.Document(io.BytesIO(data))
        reader = _Reader(document)
        blocks = tuple(reader.blocks())
        properties = document.core_properties
        title = str(properties.title or "").strip() or reader.title
        return ParsedFile(title, blocks, hints_from_properties(properties), tuple(reader.links))


class _Reader:
    def __init__(self, document: Any) -> None:
        self._document = document
        self._tables = count(1)
        self._numbers: Counter[tuple[str, int]] = Counter()
        self._formats = _number_formats(document)
        self.title = ""
        self.links = {
            relation.target_ref: None
            for relation in document.part.rels.values()
            if relation.is_external and relation.reltype.endswith("/hyperlink")
        }

    def blocks(self) -> Iterator[Block]:
        for child in self._document.iter_inner_content():
            yield from self._table(child) if isinstance(child, Table) else self._paragraph(child)
        yield from self._footnotes()

    def _paragraph(self, paragraph: Paragraph) -> Iterator[Block]:
        text = _text(paragraph._p)
        if not text.strip():
            return
        style = (paragraph.style.name if paragraph.style is not None else "") or ""
        heading = _HEADING.match(style)
        if style.lower() in {"title", "título", "titulo"} or (heading and not self.title):
            self.title = self.title or " ".join(text.split())
        if heading or style.lower() in {"title", "título", "titulo"}:
            yield Block(BlockKind.HEADING, text, level=min(int(heading[1]), 6) if heading else 1)
            return
        numbering = self._numbering(paragraph, style)
        if numbering is not None:
            level, number = numbering
            yield Block(BlockKind.LIST_ITEM, f"{number}{text}", level=level)
        elif "quote" in style.lower() or "cita" in style.lower():
            yield Block(BlockKind.QUOTE, text)
        elif _CODE_STYLE.search(style):
            yield Block(BlockKind.CODE, text)
        else:
            yield Block(BlockKind.PARAGRAPH, text)

    def _numbering(self, paragraph: Paragraph, style: str) -> tuple[int, str] | None:
        """Tell the depth of a list item and what Word shows before it ("2. "), or None for other paragraphs."""
        properties = paragraph._p.find(f"{_W}pPr/{_W}numPr")
        if properties is None and paragraph.style is not None:
            properties = paragraph.style.element.find(f"{_W}pPr/{_W}numPr")
        named = _LIST_STYLE.match(style)
        if properties is None and (named is None or "paragraph" in style.lower()):
            return None
        level = int(named[1] or 1) - 1 if named else 0
        number_id = ""
        if properties is not None:
            level = max(level, int(_value(properties.find(f"{_W}ilvl")) or 0))
            number_id = _value(properties.find(f"{_W}numId"))
            if number_id == "0":
                return None
        self._numbers[number_id, level] += 1
        for deeper in range(level + 1, 9):
            self._numbers.pop((number_id, deeper), None)
        form = self._formats.get((number_id, level), "decimal" if "number" in style.lower() else "bullet")
        return level, f"{self._numbers[number_id, level]}. " if form == "decimal" else ""

    def _table(self, table: Table) -> Iterator[Block]:
        number = next(self._tables)
        rows = [list(row) for row in _grid(table)]
        header = _header_rows(table, rows)
        nested: list[Table] = []
        for index, row in enumerate(rows):
            cells = tuple("" if cell is None else _cell_text(cell) for cell in row)
            kind = BlockKind.TABLE_HEADER if index < header else BlockKind.TABLE_ROW
            yield Block(kind, cells=cells, table=number)
            nested = [inner for cell in row if cell is not None for inner in cell.tables]
            for inner in nested:
                yield from self._table(inner)

    def _footnotes(self) -> Iterator[Block]:
        for relation in self._document.part.rels.values():
            if relation.is_external or not relation.reltype.endswith(("/footnotes", "/endnotes")):
                continue
            for note in etree.fromstring(relation.target_part.blob, _safe_parser()).iterchildren():
                if note.get(f"{_W}type") is None:
                    text = "\n".join(filter(None, (_text(p) for p in note.iter(f"{_W}p"))))
                    yield Block(BlockKind.PARAGRAPH, text, label="footnote")


def _grid(table: Table) -> Iterator[list[Any]]:
    """Yield the cells of each row; one merged over several places stands in its first, None in the others."""
    seen: set[Any] = set()
    for row in table.rows:
        line: list[Any] = [None] * row.grid_cols_before
        for cell in row.cells:
            if cell._tc in seen:
                line.append(None)
                continue
            seen.add(cell._tc)
            line.append(cell)
        yield line


def _header_rows(table: Table, rows: list[list[Any]]) -> int:
    """Count the header rows: those that Word repeats on each page, else a first row that is all bold."""
    repeated = 0
    for row in table.rows:
        if row._tr.find(f"{_W}trPr/{_W}tblHeader") is None:
            break
        repeated += 1
    if 0 < repeated < len(rows):
        return repeated
    if len(rows) < 2 or len(rows[0]) < 2:
        return 0
    first = [cell for cell in rows[0] if cell is not None]
    if not all(_cell_text(cell).strip() for cell in first):
        return 0
    bold = [run.bold for cell in first for p in cell.paragraphs for run in p.runs if run.text.strip()]
    texts = [["" if cell is None else _cell_text(cell) for cell in row] for row in rows]
    return 1 if (bold and all(bold)) or is_header(texts) else 0


def _cell_text(cell: Any) -> str:
    return "\n".join(filter(None, (_text(paragraph._p) for paragraph in cell.paragraphs)))


def _text(paragraph: Any) -> str:
    """The text of a paragraph with its links and accepted insertions, without deletions and field codes."""
    parts: list[str] = []
    for node in paragraph.iter():
        if node.tag == f"{_W}t":
            parts.append(_struck(node))
        elif node.tag in {f"{_W}tab", f"{_W}ptab"} and node.getparent().tag == f"{_W}r":
            parts.append("\t")
        elif node.tag in {f"{_W}br", f"{_W}cr"}:
            parts.append("\n")
        elif node.tag == f"{_W}noBreakHyphen":
            parts.append("-")
    return "".join(parts).replace("~~~~", "")


def _struck(node: Any) -> str:
    """The text of a run; struck-out text keeps its strokes, or it would read as what holds."""
    text = node.text or ""
    properties = node.getparent().find(f"{_W}rPr")
    if properties is None or not text.strip():
        return text
    strikes = [properties.find(f"{_W}{name}") for name in ("strike", "dstrike")]
    struck = any(mark is not None and mark.get(f"{_W}val") not in {"0", "false"} for mark in strikes)
    if properties.find(f"{_W}vanish") is not None:
        return ""
    return f"~~{text}~~" if struck else text


def _number_formats(document: Any) -> dict[tuple[str, int], str]:
    """Map (numbering id, depth) to its format (`decimal`, `bullet`, …)."""
    try:
        root = document.part.numbering_part.element
    except (KeyError, NotImplementedError):
        return {}
    abstract = {
        definition.get(f"{_W}abstractNumId"): {
            int(level.get(f"{_W}ilvl")): _value(level.find(f"{_W}numFmt")) for level in definition.iter(f"{_W}lvl")
        }
        for definition in root.iter(f"{_W}abstractNum")
    }
    return {
        (number.get(f"{_W}numId"), level): form
        for number in root.iter(f"{_W}num")
        for level, form in abstract.get(_value(number.find(f"{_W}abstractNumId")), {}).items()
    }


def _value(node: Any) -> str:
    return "" if node is None else str(node.get(f"{_W}val") or "")


def _safe_parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True)

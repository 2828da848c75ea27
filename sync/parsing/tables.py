"""The grid of an HTML table: spans resolved, header rows told from data rows, layout told from data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.domain.document import BlockKind
from sync.parsing.tree import Element, text_of

Cell: TypeAlias = "Element | None"
"""The element whose text stands here, or None where another cell spans over."""

TABLE_PARTS = frozenset({"caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "td", "th"})

_MOST_SPANNED = 200
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BOLD = ("b", "strong", "th")
_LONGEST_BOLD_HEADER = 80


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equal length. The text of a cell that spans several columns or rows stands in its first place only."""

    grid: tuple[tuple[Cell, ...], ...]
    header_rows: frozenset[int]
    is_layout: bool
    """It only arranges text on a page: its cells are read one after the other."""

    def rows(self) -> Iterator[tuple[BlockKind, tuple[Cell, ...]]]:
        """Yield each row with its kind."""
        for index, row in enumerate(self.grid):
            yield BlockKind.TABLE_HEADER if index in self.header_rows else BlockKind.TABLE_ROW, row

    def cells(self) -> Iterator[Element]:
        """Yield each cell once, in reading order."""
        return (cell for row in self.grid for cell in row if cell is not None)


def read_grid(table: Element) -> Table:
    """Place the cells of a table (not of those inside it) in their columns."""
    rows = list(_rows(table))
    grid: list[list[Cell]] = []
    reaching: dict[int, int] = {}  # column → rows that a cell from above still covers
    for row in rows:
        line: list[Cell] = []
        below: dict[int, int] = {}
        for cell in row.cells:
            _skip_covered(line, reaching, below)
            height = _span(cell, "rowspan")
            for offset in range(_span(cell, "colspan")):
                if height > 1:
                    below[len(line)] = height - 1
                line.append(None if offset else cell)
        _skip_covered(line, reaching, below)
        for column, left in reaching.items():  # covered columns to the right of a hole
            if column >= len(line) and left > 1:
                below[column] = left - 1
        reaching = below
        grid.append(line)
    width = max(map(len, grid), default=0)
    full = tuple(tuple(line) + (None,) * (width - len(line)) for line in grid)
    return Table(full, _header_rows(rows, full), _is_layout(table, full))


def table_nodes(table: Element) -> Iterator[Element]:
    """Yield the row groups, rows and cells of a table, not those of tables inside it."""
    nodes = [table]
    while nodes:
        for child in nodes.pop().iterchildren("thead", "tbody", "tfoot", "tr", "td", "th"):
            yield child
            if child.tag not in {"td", "th"}:
                nodes.append(child)


def remove_all(nodes: Sequence[Element]) -> None:
    """Take out parts of a table: the cells after them move up, as in a browser."""
    for node in nodes:
        parent = node.getparent()
        if parent is not None:
            parent.remove(node)


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[Element, ...]
    in_head: bool


def _rows(group: Element, in_head: bool = False) -> Iterator[_Row]:
    """Yield the rows of a table or a group of rows; cells that stand in no row are one."""
    loose: list[Element] = []
    for child in group.iterchildren("tr", "thead", "tbody", "tfoot", "td", "th"):
        if child.tag in {"td", "th"}:
            loose.append(child)
            continue
        if loose:
            yield _Row(tuple(loose), in_head)
            loose = []
        if child.tag == "tr":
            yield _Row(tuple(child.iterchildren("td", "th")), in_head)
        else:
            yield from _rows(child, in_head or child.tag == "thead")
    if loose:
        yield _Row(tuple(loose), in_head)


def _span(cell: Element, attribute: str) -> int:
    value = (cell.get(attribute) or "").strip()
    if not value.isdigit():
        return 1
    if attribute == "rowspan" and value == "0":  # down to the end of the table
        return _MOST_SPANNED
    return min(max(int(value), 1), _MOST_SPANNED)


def _skip_covered(line: list[Cell], reaching: dict[int, int], below: dict[int, int]) -> None:
    while len(line) in reaching:
        left = reaching.pop(len(line))
        if left > 1:
            below[len(line)] = left - 1
        line.append(None)


def _header_rows(rows: Sequence[_Row], grid: Sequence[Sequence[Cell]]) -> frozenset[int]:
    """Tell the header rows: those of `thead`, those of `th` alone at the top, or a first row that is all bold."""
    headers: set[int] = set()
    for index, row in enumerate(rows):
        all_headings = bool(row.cells) and all(cell.tag == "th" for cell in row.cells)
        if row.in_head or (all_headings and len(headers) == index and any(_text(cell) for cell in row.cells)):
            headers.add(index)
    if not headers and len(grid) > 1 and len(grid[0]) > 1 and _is_bold_header(grid[0]):
        headers.add(0)
    data_left = any(
        index not in headers and any(_text(c) for c in row if c is not None) for index, row in enumerate(grid)
    )
    return frozenset(headers) if data_left else frozenset()


def _is_bold_header(row: Sequence[Cell]) -> bool:
    """Word processors have no header cells: people make the first row bold."""
    return all(cell is not None and _is_bold(cell) for cell in row)


def _is_bold(cell: Element) -> bool:
    text = _text(cell)
    bold = "".join(
        _text(node) for node in cell.iter(*_BOLD) if not any(ancestor.tag in _BOLD for ancestor in node.iterancestors())
    )
    return 0 < len(text) <= _LONGEST_BOLD_HEADER and bold == text


def _is_layout(table: Element, grid: Sequence[Sequence[Cell]]) -> bool:
    cells = [cell for row in grid for cell in row if cell is not None]
    width = max(map(len, grid), default=0)
    if width <= 1:
        has_header = len(grid) > 1 and any(cell.tag == "th" for cell in cells)
        return not has_header or any(next(cell.iter(*_HEADINGS, "table", "pre"), None) is not None for cell in cells)
    if any(cell.tag == "th" for cell in cells):
        return False
    return table.get("role") == "presentation" or any(next(cell.iter(*_HEADINGS), None) is not None for cell in cells)


def _text(element: Element) -> str:
    return "".join(text_of(element).split())

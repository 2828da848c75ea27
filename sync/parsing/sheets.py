"""Rows of cells to a table's blocks: which row is the header, where the data begin and end. For XLSX, CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.domain.document import Block, BlockKind

Row = tuple[int, tuple[str, ...]]
"""The row's number in its sheet (from 1), and its cells as a reader sees them."""

_NUMBER = re.compile(r"[-+(]?[\d.,\s%€$£]*\d[\d.,\s%€$£)]*")


def table_blocks(rows: Iterable[Row], table: int, sheet: str = "", first_column: int = 1) -> Iterator[Block]:
    """Yield a run of rows as one table; each is labelled with the address of its first cell (`Prices!A4`).

    Single cells above and below a table of several columns (its title, notes) are paragraphs.
    """
    above, kept, below = _peel(list(rows))

    def label(number: int) -> str:
        address = f"{column_name(first_column)}{number}"
        return f"{sheet}!{address}" if sheet else address

    yield from (Block(BlockKind.PARAGRAPH, "".join(cells), label=label(number)) for number, cells in above)
    has_header = is_header([cells for _, cells in kept])
    for index, (number, cells) in enumerate(kept):
        kind = BlockKind.TABLE_HEADER if has_header and index == 0 else BlockKind.TABLE_ROW
        yield Block(kind, cells=cells, table=table, label=label(number))
    yield from (Block(BlockKind.PARAGRAPH, "".join(cells), label=label(number)) for number, cells in below)


def is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of some rows names the columns: all texts, no numbers, all different, unlike what follows.

    Two columns may as well be names and values from the first row on: there a number has to follow.
    """
    if len(rows) < 2:
        return False
    first = [cell.strip() for cell in rows[0]]
    names = [name for name in first if name]
    if len(names) < max(2, (len(first) + 1) // 2) or len(set(names)) < len(names):
        return False
    if any(_NUMBER.fullmatch(name) or len(name) > 80 for name in names):
        return False
    return len(first) > 2 or any(char.isdigit() for row in rows[1:] for char in "".join(row[1:]))


def _peel(rows: list[Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """Part the rows with a single cell at the top and the bottom from a table of several columns."""

    def is_single(row: Row) -> bool:
        return bool(row[1][0].strip()) and not any(cell.strip() for cell in row[1][1:])

    wide = [index for index, row in enumerate(rows) if not is_single(row)]
    if not wide:
        is_column = len(rows) > 1 and len(rows[0][1]) == 1
        return ([], rows, []) if is_column else (rows, [], [])
    return rows[: wide[0]], rows[wide[0] : wide[-1] + 1], rows[wide[-1] + 1 :]


def column_name(number: int) -> str:
    """The letters of a column: 1 is A, 27 is AA."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters

"""Excel workbooks: each sheet is a section, each run of rows a table, each row knows its cell (`Tarifas!A4`)."""

from __future__ import annotations

import datetime as dt
import io
import warnings
from collections.abc import Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING

import openpyxl

from core.domain.document import Block, BlockKind
from sync.parsing.limits import LIMITS, FileLimits, check_package, check_size, refusing_broken
from sync.parsing.office import hints_from_properties
from sync.parsing.parsed import ParsedFile
from sync.parsing.sheets import Row, table_blocks

if TYPE_CHECKING:
    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet

MOST_ROWS = 100_000
"""Rows of a sheet that are read; a warning says that there are more."""


def parse_xlsx(data: bytes, name: str, limits: FileLimits = LIMITS) -> ParsedFile:
    """Read a workbook: the values that its formulas had when it was saved, as their formats show them.

    Raises:
        ParsingError: the file is too large, broken, or protected.
    """
    check_size(data, name, limits)
    check_package(data, name, limits)
    with refusing_broken(name, "a workbook"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl tells of every extension that it does not keep
        workbook = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
        blocks, notes = _sheets(workbook.worksheets)
        title = str(workbook.properties.title or "").strip()
        return ParsedFile(title, tuple(blocks), hints_from_properties(workbook.properties), warnings=tuple(notes))


def _sheets(sheets: Iterable[Worksheet]) -> tuple[list[Block], list[str]]:
    """Read the visible sheets: their blocks, and sentences for the report."""
    blocks: list[Block] = []
    notes: list[str] = []
    tables = count(1)
    for sheet in sheets:
        if sheet.sheet_state != "visible":
            continue
        rows = list(_rows(sheet))
        if not any(cell for _, cells in rows for cell in cells):
            continue
        if sheet.max_row > MOST_ROWS:
            notes.append(f"Only the first {MOST_ROWS} rows of a sheet were read.")
        blocks.append(Block(BlockKind.HEADING, sheet.title, level=1, label=sheet.title))
        for first_column, run in _tables(rows):
            blocks.extend(table_blocks(run, next(tables), sheet.title, first_column))
    return blocks, notes


def _rows(sheet: Worksheet) -> Iterator[Row]:
    """Yield the visible rows, empty ones too: they part tables."""
    for row in sheet.iter_rows(max_row=min(sheet.max_row, MOST_ROWS)):
        number = row[0].row if row else 0
        if sheet.row_dimensions[number].hidden:
            continue
        yield number, tuple(_shown(cell) for cell in row)


def _tables(rows: Iterable[Row]) -> Iterator[tuple[int, list[Row]]]:
    """Part rows at empty ones, and cut off the empty columns to the left and right of each run."""
    run: list[Row] = []
    for row in [*rows, (0, ())]:
        if any(cell for cell in row[1]):
            run.append(row)
            continue
        if run:
            used = [index for _, cells in run for index, cell in enumerate(cells) if cell]
            first, last = min(used), max(used)
            yield first + 1, [(number, cells[first : last + 1]) for number, cells in run]
        run = []


def _shown(cell: Cell) -> str:
    """A value as its format shows it, near enough to be quoted: 0.21 under `0 %` is 21 %."""
    value, form = cell.value, cell.number_format or ""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case dt.datetime() if value.time() == dt.time():
            return value.date().isoformat()
        case dt.datetime():
            return value.isoformat(" ", "minutes")
        case dt.date() | dt.time():
            return value.isoformat()
        case int() | float():
            return _number(value, form)
    return str(value)


def _number(value: float, form: str) -> str:
    positive = form.split(";")[0]
    places = len(positive.partition(".")[2].replace("#", "0").split("0")) - 1 if ".0" in positive else 0
    if "%" in positive:
        return f"{value * 100:.{places}f} %" if places else f"{_plain(round(value * 100, 4))} %"
    text = f"{value:.{places}f}" if places else _plain(value)
    for sign in "€$£":
        if sign in positive:
            return f"{text} {sign}" if positive.rstrip(' ]"').endswith((sign, f"{sign}-1")) else f"{sign}{text}"
    return text


def _plain(value: float) -> str:
    """A number without the noise of binary fractions (0.1 + 0.2 is 0.3)."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.12g}"

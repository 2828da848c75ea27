"""CSV with any of the usual separators and encodings, as one table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from core.errors import ParsingError
from sync.parsing.decoding import decode
from sync.parsing.limits import LIMITS, FileLimits, check_size
from sync.parsing.parsed import ParsedFile
from sync.parsing.sheets import Row, table_blocks

LARGEST_CSV = 20 * 1024 * 1024
_SEPARATORS = ",;\t|"
_SAMPLE_ROWS = 20


def parse_csv(data: bytes, name: str, limits: FileLimits = LIMITS) -> ParsedFile:
    """Read a file of comma, semicolon, tab or bar separated values.

    Raises:
        ParsingError: the file is too large, or its rows cannot be told apart.
    """
    check_size(data, name, limits, LARGEST_CSV)
    text = decode(data).replace("\0", "")
    if text[:4].lower() == "sep=":  # Excel's own first line
        _, _, text = text.partition("\n")
    try:
        return ParsedFile("", tuple(table_blocks(_rows(text), table=1)))
    except csv.Error as error:
        raise ParsingError(f"{name} cannot be read as CSV.") from error


def _rows(text: str) -> Iterator[Row]:
    for number, cells in enumerate(csv.reader(io.StringIO(text), delimiter=_separator(text)), start=1):
        if any(cell.strip() for cell in cells):
            yield number, tuple(cells)


def _separator(text: str) -> str:
    """Choose the separator that parts the first rows most evenly; `csv.Sniffer` takes letters for separators."""

    def evenness(separator: str) -> tuple[bool, int]:
        reader = csv.reader(io.StringIO(text), delimiter=separator)
        widths = [len(row) for row, _ in zip(reader, range(_SAMPLE_ROWS), strict=False) if row]
        return (len(set(widths)) == 1, min(widths)) if widths and max(widths) > 1 else (False, 0)

    return max(_SEPARATORS, key=evenness)

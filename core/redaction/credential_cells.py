"""Passwords in tables: under a column, or beside a cell, that is called so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.domain.document import Block, BlockKind
from core.redaction.looks import looks_secret

_LABEL = re.compile(
    r"(?:[\w ./()-]{0,30}\b)?(?:password|passwd|passphrase|pwd|contraseña|contrasena|clave|secret|secreto|token"
    r"|(?:api|secret|access) ?key)\b[\w ./()-]{0,20}:?",
    re.IGNORECASE,
)


def credential_cells(blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """(block, cell) of each cell that holds a password by its header or by the cell before it."""
    columns: dict[int | None, set[int]] = {}
    for place, block in enumerate(blocks):
        if not block.cells:
            continue
        labels = {column for column, cell in enumerate(block.cells) if _is_label(cell)}
        if block.kind is BlockKind.TABLE_HEADER:
            columns[block.table] = labels
            continue
        suspects = columns.get(block.table, set()) | {column + 1 for column in labels}
        for column in sorted(suspects - labels):
            if column < len(block.cells) and looks_secret(block.cells[column].strip()):
                yield place, column


def _is_label(cell: str) -> bool:
    return len(cell) <= 60 and _LABEL.fullmatch(cell.strip()) is not None

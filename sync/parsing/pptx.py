"""PowerPoint presentations: each slide is a section and a page, with its shapes from top to bottom and its notes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pptx
from pptx.enum.shapes import MSO_SHAPE_TYPE

from core.domain.document import Block, BlockKind
from sync.parsing.limits import LIMITS, FileLimits, check_package, check_size, refusing_broken
from sync.parsing.office import hints_from_properties
from sync.parsing.parsed import ParsedFile


def parse_pptx(data: bytes, name: str, limits: FileLimits = LIMITS) -> ParsedFile:
    """Read a presentation in the format of PowerPoint since 2007. Hidden slides are left out.

    Raises:
        ParsingError: the file is too large, broken, or protected.
    """
    check_size(data, name, limits)
    check_package(data, name, limits)
    tables = count(1)
    blocks: list[Block] = []
    title = ""
    with refusing_broken(name, "a presentation"):
        presentation = pptx.Presentation(io.BytesIO(data))
        for number, slide in enumerate(presentation.slides, start=1):
            if slide._element.get("show") == "0":
                continue
            heading = _title(slide)
            title = title or heading
            blocks.extend(replace(block, page=number) for block in _slide(slide, heading or f"{number}", tables))
        properties = presentation.core_properties
        stated = str(properties.title or "").strip()
        stated = "" if stated.casefold() == "powerpoint presentation" else stated
        return ParsedFile(stated or title, tuple(blocks), hints_from_properties(properties))


def _slide(slide: Any, heading: str, tables: Iterator[int]) -> Iterator[Block]:
    yield Block(BlockKind.HEADING, heading, level=1)
    title = slide.shapes.title
    for shape in _in_reading_order(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        yield from _shape(shape, tables)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
        for paragraph in notes.paragraphs:
            yield Block(BlockKind.PARAGRAPH, _line(paragraph), label="notes")


def _shape(shape: Any, tables: Iterator[int]) -> Iterator[Block]:
    if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
        for inner in _in_reading_order(shape.shapes):
            yield from _shape(inner, tables)
    elif getattr(shape, "has_table", False) and shape.has_table:
        yield from _table(shape.table, next(tables))
    elif shape.has_text_frame:
        paragraphs = [p for p in shape.text_frame.paragraphs if _line(p).strip()]
        is_list = len(paragraphs) > 1 and shape.is_placeholder
        for paragraph in paragraphs:
            kind = BlockKind.LIST_ITEM if is_list else BlockKind.PARAGRAPH
            yield Block(kind, _line(paragraph), level=paragraph.level if is_list else 0)


def _table(table: Any, number: int) -> Iterator[Block]:
    for index, row in enumerate(table.rows):
        is_header = index == 0 and table.first_row and len(table.rows) > 1
        cells = tuple("" if cell.is_spanned else cell.text_frame.text for cell in row.cells)
        yield Block(BlockKind.TABLE_HEADER if is_header else BlockKind.TABLE_ROW, cells=cells, table=number)


def _in_reading_order(shapes: Iterable[Any]) -> list[Any]:
    """Order shapes from top to bottom, then left to right; those within some 5 mm are on one line."""
    return sorted(shapes, key=lambda shape: ((shape.top or 0) // 180_000, shape.left or 0))


def _title(slide: Any) -> str:
    title = slide.shapes.title
    return " ".join(title.text_frame.text.split()) if title is not None else ""


def _line(paragraph: Any) -> str:
    return str(paragraph.text).replace("\v", "\n")

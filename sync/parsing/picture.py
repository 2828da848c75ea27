"""Pictures with text in them: scans and screenshots, by OCR."""

from __future__ import annotations

from dataclasses import replace

from core.domain.document import BlockKind
from core.errors import ParsingError
from sync.parsing.limits import LIMITS, FileLimits, check_size
from sync.parsing.ocr import Ocr, lines_of
from sync.parsing.page_blocks import PageBlocks
from sync.parsing.parsed import ParsedFile


def parse_picture(data: bytes, name: str, limits: FileLimits = LIMITS, ocr: Ocr | None = None) -> ParsedFile:
    """Read the text of a picture; one without any has no blocks.

    Raises:
        ParsingError: the file is too large or broken, or there is no OCR.
    """
    check_size(data, name, limits)
    if ocr is None:
        raise ParsingError(f"{name} is a picture: it needs OCR.")
    reading = ocr.picture(data, name)
    lines = lines_of(reading.pages)
    if not any(lines.values()) and reading.notes:
        raise ParsingError(reading.notes[0])  # not known to be without text: what is stored of it stays
    count = max(lines, default=0)
    blocks = PageBlocks([lines.get(number, ()) for number in range(1, count + 1)], lines).blocks()
    if count == 1:
        blocks = [replace(block, page=None) for block in blocks]
    read = sum(bool(found) for found in lines.values())
    notes = (*(["It was read by OCR."] if read else []), *reading.notes)
    title = next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
    return ParsedFile(title, tuple(blocks), warnings=notes, ocr_pages=read)

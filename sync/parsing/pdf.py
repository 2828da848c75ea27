"""PDF: pages to lines; those that are only pictures go to OCR, where the settings want it."""

from __future__ import annotations

import datetime as dt
import io
import logging
import re
from collections.abc import Sequence
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect

from core.domain.document import BlockKind
from core.errors import ParsingError
from sync.parsing.limits import LIMITS, FileLimits, check_size
from sync.parsing.ocr import Ocr, lines_of
from sync.parsing.page_blocks import PageBlocks
from sync.parsing.parsed import Hints, ParsedFile
from sync.parsing.pdf_lines import Line, Piece, read_page
from sync.parsing.pdf_text import body_size

logging.getLogger("pdfminer").setLevel(logging.ERROR)  # it warns of every font that it has to guess at

_PDF_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?")
_USELESS_TITLE = re.compile(
    r"^(microsoft word\b.*|untitled|sin título|.*\.(?:docx?|pptx?|xlsx?|pdf|indd))$", re.IGNORECASE
)


def parse_pdf(data: bytes, name: str, limits: FileLimits = LIMITS, ocr: Ocr | None = None) -> ParsedFile:
    """Read a PDF: its text layer, and by OCR the pages that have none.

    Raises:
        ParsingError: the file is too large, broken, protected, or has no text and cannot be read by OCR.
    """
    check_size(data, name, limits)
    try:
        with pdfplumber.open(io.BytesIO(data)) as pdf:
            pages = [list(read_page(page)) for page in pdf.pages[: limits.most_pages]]
            scanned = [
                number
                for number, (page, pieces) in enumerate(zip(pdf.pages, pages, strict=False), start=1)
                if not pieces and _is_drawn(page)
            ]
            count_of_pages, metadata = len(pdf.pages), dict(pdf.metadata or {})
    except ParsingError:
        raise
    except Exception as error:  # pdfminer lets any built-in error through on malformed input
        raise _refusal(error, name) from error
    notes = [f"Only its first {limits.most_pages} of {count_of_pages} pages were read."]
    notes = notes if count_of_pages > limits.most_pages else []
    read: frozenset[int] = frozenset()
    if scanned and ocr is not None:
        read = _add_scanned(pages, scanned, ocr, data, name, notes)
    if not any(pages):
        why = "it needs OCR." if ocr is None else " ".join(("OCR found none.", *notes))
        raise ParsingError(f"{name} has no text: {why}")
    if scanned and ocr is None:
        notes.insert(0, f"{len(scanned)} of its {count_of_pages} pages are pictures without text and need OCR.")
    if read:
        notes.insert(0, f"{len(read)} of its {count_of_pages} pages were read by OCR.")
    blocks = PageBlocks(pages, read).blocks()
    first_heading = next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
    title = _title(metadata) or first_heading
    return ParsedFile(title, tuple(blocks), _hints(metadata), warnings=tuple(notes), ocr_pages=len(read))


def _add_scanned(
    pages: list[list[Piece]], scanned: Sequence[int], ocr: Ocr, data: bytes, name: str, notes: list[str]
) -> frozenset[int]:
    """Put what OCR reads on the pages (numbers from 1) that have no text; the numbers of those that have some now.

    Raises:
        ParsingError: OCR cannot be done, and there is no other text.
    """
    try:
        reading = ocr.pdf(data, name, scanned)
    except ParsingError as error:
        if not any(pages):
            raise
        notes.append(f"{len(scanned)} of its pages are pictures without text: {error}")
        return frozenset()
    size = body_size([piece for page in pages for piece in page if isinstance(piece, Line)])
    for number, lines in lines_of(reading.pages, size).items():
        pages[number - 1] = list(lines)
    notes += reading.notes
    return frozenset(number for number in reading.pages if pages[number - 1])


def _is_drawn(page: Any) -> bool:
    """Whether there is something on a page without text: a scan, or letters drawn as curves."""
    drawn = bool(page.images or page.curves)
    page.close()  # looking parsed it anew
    return drawn


def _refusal(error: Exception, name: str) -> ParsingError:
    causes = (error, *error.args, error.__cause__, error.__context__)
    if any(isinstance(cause, PDFPasswordIncorrect) for cause in causes):
        return ParsingError(f"{name} is protected by a password.")
    return ParsingError(f"{name} is broken: it cannot be read as PDF.")


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

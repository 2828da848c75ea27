"""What a parser yields of one file, whatever its format."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from core.domain.document import Block, DocumentStatus


@dataclass(frozen=True, slots=True)
class Hints:
    """What a file says about itself. Unknown is empty or None; a source weighs it against what it knows."""

    author: str = ""
    owner: str = ""
    modified_at: dt.datetime | None = None
    source_version: str = ""
    labels: tuple[str, ...] = ()
    valid_from: dt.date | None = None
    valid_until: dt.date | None = None
    status: DocumentStatus | None = None
    superseded_by: str = ""
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One file as blocks, in reading order."""

    title: str
    """What the file calls itself; empty when it does not say."""
    blocks: tuple[Block, ...]
    hints: Hints = field(default_factory=Hints)
    links: tuple[str, ...] = ()
    """Addresses the text points to, unwrapped, in order, each once."""
    warnings: tuple[str, ...] = ()
    """Sentences for the report. They hold no text of the file."""
    ocr_pages: int = 0
    """How many of its pages were read by OCR; their blocks are labelled `ocr`."""

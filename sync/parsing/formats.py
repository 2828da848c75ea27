"""Which parser reads which file, by the end of its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.errors import ParsingError
from sync.parsing.csv import parse_csv
from sync.parsing.docx import parse_docx
from sync.parsing.google_html import looks_like_google, parse_google_html
from sync.parsing.html import parse_html
from sync.parsing.limits import LIMITS, FileLimits
from sync.parsing.markdown import parse_markdown
from sync.parsing.ocr import Ocr
from sync.parsing.parsed import ParsedFile
from sync.parsing.pdf import parse_pdf
from sync.parsing.picture import parse_picture
from sync.parsing.pptx import parse_pptx
from sync.parsing.text import parse_text
from sync.parsing.xlsx import parse_xlsx

Parser = Callable[[bytes, str, FileLimits], ParsedFile]

MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".log": "text/plain",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
}
PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
}
_TEMPLATE_SUFFIXES = frozenset({".erb", ".njk", ".j2", ".liquid"})


def _parse_any_html(data: bytes, name: str, limits: FileLimits) -> ParsedFile:
    return parse_google_html(data, name, limits) if looks_like_google(data) else parse_html(data, name, limits)


SUPPORTED: Mapping[str, Parser] = {
    ".html": _parse_any_html,
    ".htm": _parse_any_html,
    ".xhtml": parse_html,
    ".md": parse_markdown,
    ".markdown": parse_markdown,
    ".txt": parse_text,
    ".text": parse_text,
    ".log": parse_text,
    ".csv": parse_csv,
    ".tsv": parse_csv,
    ".pdf": parse_pdf,
    ".docx": parse_docx,
    ".pptx": parse_pptx,
    ".xlsx": parse_xlsx,
    ".xlsm": parse_xlsx,
}


def suffix_of(name: str) -> str:
    """The suffix that tells a file's format: `.md` of `guide.html.md.erb`, in small letters."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(name).suffixes]
    while suffixes and suffixes[-1] in _TEMPLATE_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads files of any supported format, as the settings allow. Without OCR, pictures are no documents."""

    limits: FileLimits = LIMITS
    ocr: Ocr | None = None

    def reads(self, name: str) -> bool:
        """Whether a file is of a format that is read, by its name."""
        return suffix_of(name) in SUPPORTED or self.reads_picture(name)

    def reads_picture(self, name: str) -> bool:
        """Whether a file is a picture that is read, by its name."""
        return self.ocr is not None and suffix_of(name) in PICTURES

    def media_types(self) -> dict[str, str]:
        """Suffix → media type, of all formats that are read."""
        return MEDIA_TYPES if self.ocr is None else MEDIA_TYPES | PICTURES

    def parse(self, data: bytes, name: str) -> ParsedFile:
        """Read a file.

        Raises:
            ParsingError: one sentence for the report.
        """
        suffix = suffix_of(name)
        if suffix == ".pdf":
            return parse_pdf(data, name, self.limits, self.ocr)
        if self.reads_picture(name):
            return parse_picture(data, name, self.limits, self.ocr)
        parser = SUPPORTED.get(suffix)
        if parser is None:
            raise ParsingError(f"{name} is of a kind that Testigo does not read ({suffix or 'no suffix'}).")
        return parser(data, name, self.limits)


AS_USUAL = FileReader()
"""With the limits that the settings have unless they say otherwise, and without OCR."""


def parse_file(data: bytes, name: str) -> ParsedFile:
    """Read a file of any supported format, as usual.

    Raises:
        ParsingError: one sentence for the report.
    """
    return AS_USUAL.parse(data, name)

"""OCR of scanned pages and pictures, within limits: pages to lines, in the form that pages with text have."""

from __future__ import annotations

import io
import math
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2
from PIL import Image, ImageOps

from core.errors import ParsingError
from sync.parsing.limits import refusing_broken
from sync.parsing.ocr_memory import OcrMemory
from sync.parsing.pdf_lines import MARGIN, Line
from sync.parsing.tesseract import ReadLine, Tesseract

DOTS_PER_INCH = 300
MOST_PIXELS = 25_000_000
"""Of a page as it is read: an A3 page at 300 dots an inch has 17 million. A larger one is made smaller."""
LARGEST_PICTURE = 100_000_000
"""Pixels of a picture that is looked at at all."""
SMALLEST_PICTURE = (150, 40)
"""Width and height in pixels. A smaller one is an icon."""
FORMATS = ("PNG", "JPEG", "TIFF")
_TOO_LARGE = f"{{}} has more than {LARGEST_PICTURE // 10**6} million pixels and was refused."
_BODY = 10.0
_HEADINGS = ((2.1, 2.4), (1.6, 1.85), (1.3, 1.45))
"""From so many times the usual height of letters on, a line counts as so much larger: measured heights vary."""

_one_at_a_time = threading.Lock()
"""pdfium must not be called from two threads at once."""

Pages = Mapping[int, tuple[float, tuple[ReadLine, ...]]]
"""Page number → its height in pixels, its lines."""


@dataclass(frozen=True, slots=True)
class OcrReading:
    """What was read, and sentences for the report."""

    pages: Pages
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ocr:
    """Reads scans. `memory` is None where nothing is kept."""

    tesseract: Tesseract
    most_pages: int = 200
    """Pages of one document that are read."""
    memory: OcrMemory | None = None

    def pdf(self, data: bytes, name: str, numbers: Sequence[int]) -> OcrReading:
        """Read pages of a PDF by their numbers, from 1.

        Raises:
            ParsingError: the program or a language is missing, or the file cannot be drawn.
        """
        with _opened(data, name) as document:
            return self._read(data, numbers, lambda number: _drawn(document, number - 1))

    def picture(self, data: bytes, name: str) -> OcrReading:
        """Read a PNG, a JPEG, or each page of a TIFF.

        Raises:
            ParsingError: the program or a language is missing, or the picture is broken or too large.
        """
        with _picture(data, name) as image:
            if image.width * image.height > LARGEST_PICTURE:
                raise ParsingError(_TOO_LARGE.format(name))
            if image.width < SMALLEST_PICTURE[0] or image.height < SMALLEST_PICTURE[1]:
                return OcrReading({})
            frames = getattr(image, "n_frames", 1)
            return self._read(data, range(1, frames + 1), lambda number: _frame(image, number - 1, name))

    def _read(self, data: bytes, numbers: Sequence[int], draw: Callable[[int], Image.Image]) -> OcrReading:
        notes: list[str] = []
        if len(numbers) > self.most_pages:
            notes.append(f"Only the first {self.most_pages} of its {len(numbers)} scanned pages were read by OCR.")
            numbers = numbers[: self.most_pages]
        known = self.memory.recall(data, self.tesseract.languages) if self.memory is not None else {}
        pages = {number: known[number] for number in numbers if number in known}
        wanted = [number for number in numbers if number not in pages]
        if wanted and (missing := self.tesseract.missing()):
            raise ParsingError(missing)
        for number in wanted:
            try:
                image = draw(number)
                pages[number] = float(image.height), self.tesseract.read(_as_pnm(image))
            except ParsingError as error:
                notes.append(f"Page {number}: {error}" if len(numbers) > 1 else str(error))
        if self.memory is not None and any(number in pages for number in wanted):
            self.memory.keep(data, self.tesseract.languages, {**known, **pages})
        return OcrReading(pages, tuple(notes))


def lines_of(pages: Pages, body: float = 0.0) -> dict[int, tuple[Line, ...]]:
    """Give the lines the sizes of text: `body` (in points) for the usual height of letters, more for headings.

    Args:
        pages: what was read.
        body: the size of the text that is set in letters in the same document; 0 where there is none.
    """
    usual = _usual_height(line for _, lines in pages.values() for line in lines)
    size = body or _BODY
    return {
        number: tuple(_line(line, height, size * _enlarged(line.size / usual)) for line in lines)
        for number, (height, lines) in pages.items()
    }


def _line(line: ReadLine, height: float, size: float) -> Line:
    return Line(
        text=line.text,
        top=line.top,
        bottom=line.bottom,
        left=line.left,
        right=line.right,
        size=size,
        bold=False,
        in_margin=line.top < height * MARGIN or line.bottom > height * (1 - MARGIN),
        paragraph=line.paragraph,
    )


def _usual_height(lines: Iterable[ReadLine]) -> float:
    """The height of which half of the letters are not higher."""
    heights = sorted((line.size, len(line.text)) for line in lines)
    half, seen = sum(letters for _, letters in heights) / 2, 0
    for height, letters in heights:
        seen += letters
        if seen >= half:
            return max(height, 1.0)
    return 1.0


def _enlarged(ratio: float) -> float:
    return next((size for least, size in _HEADINGS if ratio >= least), 1.0)


@contextmanager
def _picture(data: bytes, name: str) -> Iterator[Image.Image]:
    """Open a picture by Pillow, so that tesseract only ever gets pixels; of its formats, only those that are wanted."""
    with refusing_broken(name, "a picture"), warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit is ours
        try:
            image = Image.open(io.BytesIO(data), formats=FORMATS)
        except Image.DecompressionBombError as error:
            raise ParsingError(_TOO_LARGE.format(name)) from error
        with image:
            yield image


@contextmanager
def _opened(data: bytes, name: str) -> Iterator[pypdfium2.PdfDocument]:
    with _one_at_a_time:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise ParsingError(f"{name} is broken: its pages cannot be drawn.") from error
        try:
            yield document
        finally:
            document.close()


def _drawn(document: pypdfium2.PdfDocument, index: int) -> Image.Image:
    try:
        page = document[index]
        width, height = page.get_size()
        most = math.sqrt(MOST_PIXELS / max(width * height, 1.0))
        image: Image.Image = page.render(scale=min(DOTS_PER_INCH / 72, most), grayscale=True).to_pil()
        page.close()
    except (pypdfium2.PdfiumError, ValueError, MemoryError, IndexError) as error:
        raise ParsingError("It cannot be drawn.") from error
    return image


def _frame(image: Image.Image, index: int, name: str) -> Image.Image:
    with refusing_broken(name, "a picture"):
        image.seek(index)
        if image.width * image.height > LARGEST_PICTURE:
            raise ParsingError(_TOO_LARGE.format(name))
        upright = ImageOps.exif_transpose(image)
        if upright.width * upright.height > MOST_PIXELS:
            side = math.sqrt(MOST_PIXELS / (upright.width * upright.height))
            upright = upright.resize((int(upright.width * side), int(upright.height * side)))
        if upright.has_transparency_data:  # what shines through is paper
            paper = Image.new("RGBA", upright.size, "white")
            paper.alpha_composite(upright.convert("RGBA"))
            upright = paper
        return upright.convert("L")


def _as_pnm(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.convert("L").save(out, "PPM")
    return out.getvalue()

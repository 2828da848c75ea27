"""What stands on a PDF page, in reading order: lines of text with their size, and ruled tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_DIGITS = re.compile(r"\d+")
MARGIN = 0.09
_NARROWEST_GUTTER = 10.0
_RUNNING_PAGES = 3


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text. Lengths are in points, from the top left corner of the page."""

    text: str
    top: float
    bottom: float
    left: float
    right: float
    size: float
    bold: bool
    in_margin: bool
    """At the very top or bottom of its page, where running heads and page numbers stand."""
    paragraph: int | None = None
    """The number of its paragraph, where OCR has told them apart already."""

    @property
    def style(self) -> tuple[float, bool]:
        """What tells a heading from the text: size and weight."""
        return self.size, self.bold

    @property
    def key(self) -> str:
        """The text with its numbers taken out, by which running lines are the same on each page; empty in the body."""
        return _DIGITS.sub("#", self.text) if self.in_margin else ""


@dataclass(frozen=True, slots=True)
class TablePiece:
    """A ruled table, or the part of it on one page."""

    rows: tuple[tuple[str, ...], ...]
    top: float
    bottom: float


Piece = Line | TablePiece


def read_page(page: Any) -> Iterator[Piece]:
    """Yield what stands on a page of pdfplumber, from top to bottom, column by column."""
    page = page.dedupe_chars() if _has_double_strokes(page) else page
    tables = list(_tables(page))
    words = page.extract_words(
        extra_attrs=["fontname"], return_chars=True, use_text_flow=False, x_tolerance_ratio=0.2, y_tolerance=2
    )
    free = [word for word in words if not any(_inside(word, box) for box, _ in tables)]
    pieces: list[Piece] = [table for _, table in tables]
    for band in _bands(free, float(page.width)):
        pieces.extend(_lines(band, float(page.height)))
    # Text keeps its order (columns); a table goes before the first line that stands lower.
    yield from _in_order(pieces)
    page.close()


def running_lines(pages: Sequence[Sequence[Piece]]) -> frozenset[str]:
    """Find the running heads, feet and page numbers: lines in the margin that come on at least three pages in four."""
    if len(pages) < _RUNNING_PAGES:
        return frozenset({"#", "- # -"})
    keys = Counter(key for page in pages for key in {piece.key for piece in page if isinstance(piece, Line)} if key)
    least = max(_RUNNING_PAGES, len(pages) * 3 // 4)
    return frozenset({key for key, pages_with in keys.items() if pages_with >= least} | {"#", "- # -"})


def _in_order(pieces: Iterable[Piece]) -> list[Piece]:
    lines = [piece for piece in pieces if isinstance(piece, Line)]
    ordered: list[Piece] = list(lines)
    for table in sorted((p for p in pieces if isinstance(p, TablePiece)), key=lambda t: t.top):
        place = next((i for i, p in enumerate(ordered) if isinstance(p, Line) and p.top >= table.top), len(ordered))
        ordered.insert(place, table)
    return ordered


def _tables(page: Any) -> Iterator[tuple[tuple[float, float, float, float], TablePiece]]:
    if len(page.lines) + len(page.rects) + len(page.curves) < 4:
        return
    for found in page.find_tables():
        rows = tuple(tuple((cell or "").strip() for cell in row) for row in found.extract(x_tolerance_ratio=0.2))
        rows = tuple(row for row in rows if any(row))
        if len(rows) >= 2 and len(rows[0]) >= 2:
            yield found.bbox, TablePiece(rows, found.bbox[1], found.bbox[3])


def _inside(word: dict[str, Any], box: tuple[float, float, float, float]) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def _bands(words: list[dict[str, Any]], width: float) -> Iterator[list[dict[str, Any]]]:
    """Part the words of a page into columns; words across the gutter (a title) part the page from top to bottom."""
    gutter = _gutter(words, width)
    if gutter is None:
        yield words
        return
    across = sorted((w for w in words if w["x0"] < gutter < w["x1"]), key=lambda w: w["top"])
    full = [w for w in words if any(abs(w["top"] - a["top"]) < 3 for a in across)]
    edges = sorted({w["top"] for w in full})
    rest = [w for w in words if w not in full]
    for index in range(len(edges) + 1):
        above = edges[index - 1] if index else float("-inf")
        below = edges[index] if index < len(edges) else float("inf")
        if index:
            yield [w for w in full if w["top"] == above]
        band = [w for w in rest if above <= w["top"] < below]
        yield [w for w in band if w["x1"] <= gutter]
        yield [w for w in band if w["x1"] > gutter]


def _gutter(words: list[dict[str, Any]], width: float) -> float | None:
    """Find the blank strip between two columns: near the middle, hardly a word across it, much text on both sides."""
    if len(words) < 80:
        return None
    best: tuple[int, float] | None = None
    for step in range(35, 66):
        x = width * step / 100
        crossing = sum(w["x0"] - _NARROWEST_GUTTER / 2 < x < w["x1"] + _NARROWEST_GUTTER / 2 for w in words)
        left = sum(w["x1"] <= x for w in words)
        if crossing <= len(words) * 0.03 and 0.3 <= left / len(words) <= 0.7 and (best is None or crossing < best[0]):
            best = (crossing, x)
    return best[1] if best is not None else None


def _lines(words: list[dict[str, Any]], height: float) -> Iterator[Line]:
    remaining = sorted(words, key=lambda w: (w["bottom"], w["x0"]))
    rows: list[list[dict[str, Any]]] = []
    for word in remaining:
        if rows and abs(rows[-1][0]["bottom"] - word["bottom"]) <= 3:
            rows[-1].append(word)
        else:
            rows.append([word])
    for row in rows:
        row.sort(key=lambda w: w["x0"])
        chars = [char for word in row for char in word["chars"]]
        top, bottom = min(w["top"] for w in row), max(w["bottom"] for w in row)
        bold = sum("bold" in c["fontname"].lower() or "black" in c["fontname"].lower() for c in chars)
        yield Line(
            text=" ".join(word["text"] for word in row),
            top=top,
            bottom=bottom,
            left=row[0]["x0"],
            right=row[-1]["x1"],
            size=_usual_size(chars),
            bold=bold > 0.9 * len(chars),
            in_margin=top < height * MARGIN or bottom > height * (1 - MARGIN),
        )


def _usual_size(chars: list[dict[str, Any]]) -> float:
    sizes = Counter(round(float(char["size"]) * 2) / 2 for char in chars)
    return sizes.most_common(1)[0][0]


def _has_double_strokes(page: Any) -> bool:
    """Whether letters are drawn twice, a little apart, to look bold; they would be read twice."""
    chars = page.chars[:400]
    doubles = sum(
        a["text"] == b["text"] != " " and abs(a["x0"] - b["x0"]) < 0.6 and a["top"] == b["top"]
        for a, b in pairwise(chars)
    )
    return bool(doubles > 0.2 * len(chars) > 0)


def by_style(lines: Iterable[Line]) -> Counter[tuple[float, bool]]:
    """Count the characters in each style."""
    counts: Counter[tuple[float, bool]] = Counter()
    for line in lines:
        counts[line.style] += len(line.text)
    return counts

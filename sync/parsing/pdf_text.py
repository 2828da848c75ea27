"""Which lines of a PDF are headings, which belong together, and how a word that was parted at a line's end is whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sync.parsing.pdf_lines import Line, by_style

_LARGER = 1.12
_DEEPEST = 6
_NEW_ITEM = re.compile(r"^(?:\(cid:\d+\)|[•●○▪■◦‣·\uf0b7\uf0a7]|[–—*\-]\s|\d{1,2}[.)]\s|[a-z]\)\s)")
_PARTED = re.compile(r"(?P<start>[^\W\d_]{2,})[-\u00ad\u2010]$")
_REST = re.compile(r"^[^\W\d_]{2,}")


def body_size(lines: Iterable[Line]) -> float:
    """The size in which most characters are set."""
    sizes: Counter[float] = Counter()
    for (size, _), characters in by_style(lines).items():
        sizes[size] += characters
    return sizes.most_common(1)[0][0] if sizes else 0.0


def heading_levels(lines: Sequence[Line], body: float) -> dict[tuple[float, bool], int]:
    """Map the styles of headings to levels, the largest first: what is larger than the body, then bold of its size."""
    characters = by_style(lines)
    total = sum(characters.values())
    rare = [style for style, count in characters.items() if count < 0.3 * total]
    sizes = sorted({size for size, _ in rare if size >= body * _LARGER}, reverse=True)
    levels = {style: min(sizes.index(style[0]) + 1, _DEEPEST) for style in rare if style[0] in sizes}
    bold_body = (body, True)
    bold_lines = [line for line in lines if line.style == bold_body]
    if bold_body in rare and bold_lines and all(len(line.text) <= 90 for line in bold_lines):
        levels[bold_body] = min(len(sizes) + 1, _DEEPEST)
    return levels


def starts_block(before: Line, line: Line, level_before: int, level: int) -> bool:
    """Whether a line begins a new paragraph, item or heading."""
    height = max(before.bottom - before.top, 1.0)
    gap = line.top - before.bottom
    if level != level_before or _NEW_ITEM.match(line.text):
        return True
    if line.paragraph is not None and before.paragraph is not None:
        return line.paragraph != before.paragraph
    if level:
        return gap > height or gap < -height
    if gap > 0.75 * height or gap < -height:  # far below, or at the top of the next column
        return not (gap < -height and line.text[:1].islower())
    ended = before.text[-1:] in ".:!?…" and before.right < line.right - 2 * height
    return ended and line.left >= before.left - 1


def join_lines(texts: Sequence[str], known: Mapping[str, int]) -> str:
    """Join the lines of a paragraph. A word parted by a hyphen is made whole, unless its hyphen is its own.

    Args:
        texts: the lines.
        known: the words of the whole document; one that is elsewhere written with the hyphen keeps it.
    """
    joined = ""
    for text in texts:
        text = text.strip()
        parted, rest = _PARTED.search(joined), _REST.match(text)
        if parted and rest and rest[0][0].islower():
            compound = f"{parted['start']}-{rest[0]}"
            own = any(form in known for form in (compound, compound.capitalize()))
            joined = (joined if own else joined[:-1]) + text
        elif joined:
            joined = f"{joined} {text}"
        else:
            joined = text
    return joined

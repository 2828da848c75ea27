"""What differs between a quote that was changed and the place it was taken from. Names failures, accepts nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from core.verification.folding import fold

_TOKEN = re.compile(r"\w+(?:[.,]\d+)*|[^\w\s]")
_ALIKE = 0.6
_FEWEST_WORDS = 3
_MOST_WORDS = 600
_SLACK = 4


def difference(quote: str, text: str) -> str | None:
    """Show how a quote departs from the text: `the rate was [-5-]{+6+} %`; None where it has no likeness to it.

    `[-…-]` is the document's, `{+…+}` the quote's.
    """
    ours, theirs = _TOKEN.findall(fold(quote).text), _TOKEN.findall(fold(text).text)
    if not _FEWEST_WORDS <= len(ours) <= _MOST_WORDS or not theirs:
        return None
    folded, place = [word.lower() for word in ours], [word.lower() for word in theirs]
    matcher = SequenceMatcher(None, folded, place, autojunk=False)
    anchor = matcher.find_longest_match()
    if anchor.size == 0:
        return None
    first = max(0, anchor.b - anchor.a - _SLACK)
    last = min(len(theirs), anchor.b - anchor.a + len(ours) + _SLACK)
    window = theirs[first:last]
    matcher = SequenceMatcher(None, folded, place[first:last], autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    if same >= _ALIKE * len(ours) and same >= _FEWEST_WORDS:
        return _show(matcher, ours, window)
    if _is_stitched(folded, place):
        return "stitched from several places of the passage"
    return None


def _show(matcher: SequenceMatcher[str], ours: Sequence[str], theirs: Sequence[str]) -> str:
    pieces = []
    operations = matcher.get_opcodes()
    for number, (kind, a, b, c, d) in enumerate(operations):
        if kind == "equal":
            pieces.append(" ".join(ours[a:b]))
            continue
        at_edge = number in (0, len(operations) - 1)
        if d > c and not (at_edge and kind == "insert"):
            pieces.append(f"[-{' '.join(theirs[c:d])}-]")
        if b > a:
            pieces.append(f"{{+{' '.join(ours[a:b])}+}}")
    return " ".join(pieces)


def _is_stitched(quote: Sequence[str], text: Sequence[str]) -> bool:
    """Whether the quote is a few runs of at least three words, each of which stands in the text."""
    joined = f" {' '.join(text)} "
    start = 0
    while start < len(quote):
        end = len(quote)
        while end - start >= _FEWEST_WORDS and f" {' '.join(quote[start:end])} " not in joined:
            end -= 1
        if end - start < _FEWEST_WORDS:
            return False
        start = end
    return True


def printable(text: str) -> str:
    """A text for a reason's detail: on one line, encodable, at most 300 characters."""
    flat = " ".join(text.split()).encode("utf-8", "backslashreplace").decode()
    flat = "".join(character if character.isprintable() else "�" for character in flat)
    return flat if len(flat) <= 300 else flat[:299] + "…"

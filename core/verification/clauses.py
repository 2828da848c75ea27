"""What a quote leaves out of its own sentence: a negation or condition just outside it (`truncated_context`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.verification.markers import Marker, find_markers

_ENDS = re.compile(r"""[.!?…](?=["'”’»)\]]*(?:\s|\Z))|\n(?=\s*\n)|\n(?![a-zà-ÿ(]|\s*\n)|\s\|\s|•""")
_FARTHEST = 400
_PARTS = re.compile(r"[,;:()—]|\s[-–]\s")
_CONNECTORS = re.compile(r"(?:\s|pero|but|aunque|although|y|and|e|o|or|,)*", re.IGNORECASE)
_TURNING = frozenset({Marker.NEGATION, Marker.REFUSAL})
_LIMITING = frozenset({Marker.EXCEPTION, Marker.ONLY, Marker.CONDITION})
_BOUNDING = frozenset({Marker.AT_MOST, Marker.AT_LEAST, Marker.SINCE, Marker.APPROXIMATELY})


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of the sentence outside the quote that changes what the quote says."""

    text: str
    negates: bool
    """It stands before the quote and negates it: the quote says the opposite of its sentence."""


def left_out(text: str, start: int, end: int, after: int = 0, until: int | None = None) -> LeftOut | None:
    """Find what the sentence of `text[start:end]` says outside it that turns or limits it.

    `after` and `until` are where the slices of the same quote end and begin that stand before and after this one.
    """
    head = _head(text, max(after, start - _FARTHEST), start)
    if head and (found := _in_head(head)) is not None:
        return found
    tail = _tail(text, end, min(len(text) if until is None else until, end + _FARTHEST))
    return _in_tail(tail) if tail else None


def _head(text: str, first: int, start: int) -> str:
    """The part of the sentence before the quote."""
    before = text[first:start]
    if not before.strip(" \"'“‘«(¿¡*-•"):
        return ""
    begins = max((end.end() for end in _ENDS.finditer(before)), default=0)
    return before[begins:].strip(" \n\"'”’»)]")


def _tail(text: str, end: int, last: int) -> str:
    """The part of the sentence after the quote."""
    if text[end - 1] in ".!?" and text[end : end + 1].strip() == "":
        return ""
    after = text[end:last]
    found = _ENDS.search(after)
    return after[: found.start() if found else len(after)].strip(" \n")


def _in_head(head: str) -> LeftOut | None:
    markers = find_markers(head)
    if not markers:
        return None
    near = find_markers(_PARTS.split(head)[-1])
    if any(hit.marker in _TURNING for hit in near):
        return LeftOut(head, negates=True)
    if any(hit.marker in _LIMITING for hit in markers):
        return LeftOut(head, negates=False)
    closing = markers[-1]
    if closing.marker in _BOUNDING and closing.end == len(head):
        return LeftOut(head, negates=False)
    return None


def _in_tail(tail: str) -> LeftOut | None:
    position = 0
    for number, part in enumerate(_PARTS.split(tail)):
        opens = _CONNECTORS.match(part)
        first = opens.end() if opens else 0
        for hit in find_markers(part):
            if hit.marker not in _TURNING | _LIMITING | _BOUNDING:
                continue
            if number == 0 or hit.start <= first or (hit.marker is Marker.EXCEPTION and hit.start <= 4):
                return LeftOut(tail[position:].strip(" ,;:"), negates=False)
        position += len(part) + 1
    return None

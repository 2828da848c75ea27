"""Long text in pieces: a quote cut by sentence, a paragraph that no block can hold, an answer over several messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from bot.rendering import limits

T = TypeVar("T")

_ELLIPSIS = "…"
# From the kindest place to break to the least kind. A break falls after the match, whose white space is dropped.
_PLACES = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+"),
    re.compile(r"(?<=[;:,])\s+"),
    re.compile(r"\s+"),
)
_SENTENCES = _PLACES[2]


def cut(text: str, limit: int = limits.QUOTE_SHOWN) -> str:
    """At most `limit` characters of a text, ending with a sentence where one ends there, and `…` where it goes on."""
    text = text.strip()
    if len(text) <= limit:
        return text
    room = limit - len(_ELLIPSIS)
    ends = [match.end() for match in _SENTENCES.finditer(text, 0, limit) if len(text[: match.end()].rstrip()) < room]
    if ends:
        return f"{text[: ends[-1]].rstrip()} {_ELLIPSIS}"
    spaces = [match.start() for match in _PLACES[4].finditer(text, 0, limit) if 0 < match.start() <= room]
    return (text[: spaces[-1]] if spaces else text[:room]).rstrip(" ,;:") + _ELLIPSIS


def pieces(text: str, limit: int = limits.SECTION_TEXT) -> list[str]:
    """The text in pieces of `limits.size` up to `limit`, broken at paragraphs, else lines, sentences, words, anywhere.

    Nothing but white space at the breaks is lost.
    """
    found: list[str] = []
    rest = text.strip()
    while limits.size(rest) > limit:
        window = _longest_prefix(rest, limit)
        end, start = _break(rest, window)
        found.append(rest[:end].rstrip())
        rest = rest[start:].lstrip()
    return [*found, rest] if rest else found


def _longest_prefix(text: str, limit: int) -> int:
    """How many code points of a text fit into `limit`, at least one."""
    low, high = 1, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        if limits.size(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def _break(text: str, window: int) -> tuple[int, int]:
    """Where a piece of at most `window` code points ends and where the next begins.

    A kind of place is taken when it leaves the piece at least a third full: else a first short paragraph would stand
    alone in its piece.
    """
    for place in _PLACES:
        matches = [match for match in place.finditer(text, 0, window + 1) if match.start() >= max(1, window // 3)]
        usable = [match for match in matches if len(text[: match.end()].rstrip()) <= window]
        if usable:
            return usable[-1].end(), usable[-1].end()
    return window, window


def pack(parts: Sequence[T], fits: Callable[[Sequence[T]], bool]) -> Iterator[list[T]]:
    """Parts in order, in groups as large as `fits` allows; a part that does not fit alone is a group of its own."""
    group: list[T] = []
    for part in parts:
        if group and not fits([*group, part]):
            yield group
            group = []
        group.append(part)
    if group:
        yield group

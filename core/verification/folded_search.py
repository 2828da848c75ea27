"""Find a folded quote in a folded document."""

from __future__ import annotations

from collections.abc import Iterator

from core.verification.folding import Folded
from core.verification.letter_case import case_is_presentation

Span = tuple[int, int]

_MOST_OCCURRENCES = 50


def find_folded(document: Folded, quote: Folded) -> Iterator[Span]:
    """Yield where a folded quote stands in a folded document, in positions of the fold."""
    start, end = _trimmed(quote.text)
    if start == end:
        return
    wanted, key = quote.text[start:end], quote.key[start:end]
    found = False
    for place in _positions(document.key, key):
        same = document.text.startswith(wanted, place)
        if same or case_is_presentation(document, place, quote, start, end):
            found = True
            yield place, place + end - start
    if not found and (document.wraps or quote.wraps):
        yield from _find_across_line_ends(document, quote)


def _positions(text: str, wanted: str) -> Iterator[int]:
    place = text.find(wanted)
    count = 0
    while place >= 0 and count < _MOST_OCCURRENCES:
        yield place
        count += 1
        place = text.find(wanted, place + 1)


def _trimmed(text: str) -> Span:
    return len(text) - len(text.lstrip()), len(text.rstrip())


def _find_across_line_ends(document: Folded, quote: Folded) -> Iterator[Span]:
    """Find a quote where a hyphen at a line's end may belong to the word (`well-⏎known`) or not (`infor-⏎mation`).

    Hyphens between letters are taken out of both sides; a hyphen that only one side shows must stand at a line's end
    of the other.
    """
    ours, our_places, our_hyphens, our_wraps = _without_hyphens(quote, *_trimmed(quote.text))
    theirs, places, hyphens, wraps = _without_hyphens(document, 0, len(document.text))
    del our_places
    for place in _positions(theirs, ours):
        last = place + len(ours)
        shown = {hyphen - place for hyphen in hyphens if place < hyphen < last}
        may = {wrap - place for wrap in wraps if place < wrap < last}
        if shown - our_hyphens <= our_wraps and our_hyphens - shown <= may:
            yield places[place], places[last - 1] + 1


def _without_hyphens(folded: Folded, start: int, end: int) -> tuple[str, list[int], set[int], set[int]]:
    text = folded.text
    kept: list[int] = []
    hyphens: set[int] = set()
    wraps = set(folded.wraps)
    at_wraps: set[int] = set()
    for place in range(start, end):
        if place in wraps and place > start:
            at_wraps.add(len(kept))
        if text[place] == "-" and text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha():
            hyphens.add(len(kept))
        else:
            kept.append(place)
    return "".join(text[place] for place in kept), kept, hyphens, at_wraps

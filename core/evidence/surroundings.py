"""What stands around a quote in its version, and what the document says in its place now. Pure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.domain.document import BlockKind, CanonicalText
from core.evidence.proof import occurrence
from core.text.sentences import sentence_spans, split_sentences

AROUND = 400
"""Code points of a paragraph that are shown on each side of a quote."""
_ALIKE = 0.5
"""Share of their words that two sentences must have in common, in order, for the one to be the other as it is now."""
_LONGEST = 2_000
"""Longer units (a machine's output, a page without a full stop) are compared with nothing."""
_TOKEN = re.compile(r"\w+(?:[.,]\d+)*")
_BREAK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A quote within its paragraph: `before + quote + after` is one slice of the canonical text, but for its ends.

    `header` is the header row of the table that the quote is a row of; a side that goes on begins or ends with `…`.
    """

    before: str
    quote: str
    after: str
    header: str = ""


def paragraph_of(canonical: CanonicalText, start: int, end: int) -> Paragraph:
    """The blocks that a quote stands in, cut to `AROUND` on each side."""
    text = canonical.text
    blocks = [block for block in canonical.blocks if block.start < end and block.end > start]
    first = min((block.start for block in blocks), default=start)
    last = max((block.end for block in blocks), default=end)
    tables = {block.table for block in blocks if block.kind is BlockKind.TABLE_ROW} - {None}
    header = next(
        (
            text[block.start : block.end].strip()
            for block in canonical.blocks
            if block.kind is BlockKind.TABLE_HEADER and block.table in tables and block.end <= start
        ),
        "",
    )
    return Paragraph(_tail(text[min(first, start) : start]), text[start:end], _head(text[end : max(last, end)]), header)


def said_now(current: CanonicalText, quote: str, near: int = 0) -> str:
    """What a document says in the place of a quote that it does not say any more; empty when it says nothing like it.

    Sentence by sentence: one that still stands is itself, another becomes the one that is most like it.

    Args:
        current: the document as it is now.
        quote: what an earlier version said.
        near: where it said it; of equal sentences the nearest counts.
    """
    units = [current.text[start:end] for start, end in sentence_spans(current) if end - start <= _LONGEST]
    found: list[str] = []
    for start, end in split_sentences(quote):
        sentence = quote[start:end]
        stands = occurrence(current.text, sentence, near) is not None
        now = sentence if stands else _most_like(sentence, units)
        if now and now not in found:
            found.append(now)
    return "\n".join(found)


def _most_like(sentence: str, units: list[str]) -> str:
    wanted = _words(sentence)
    counted = Counter(wanted)
    best, best_share = "", _ALIKE
    for unit in units:
        words = _words(unit)
        longest = max(len(wanted), len(words))
        # The common words bound the ratio from above, and are counted many times faster than they are put in order.
        if not longest or (counted & Counter(words)).total() < best_share * longest:
            continue
        matcher = SequenceMatcher(None, wanted, words, autojunk=False)
        share = sum(block.size for block in matcher.get_matching_blocks()) / longest
        if share > best_share or (share == best_share and not best):
            best, best_share = unit, share
    return best


def _words(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold())


def _tail(text: str) -> str:
    """The end of what stands before a quote, cut at a word."""
    text = text.lstrip()
    if len(text) <= AROUND:
        return text
    cut = text[-AROUND:]
    blank = _BREAK.search(cut)
    return "…" + (cut[blank.start() :] if blank and blank.end() < len(cut) else cut)


def _head(text: str) -> str:
    """The beginning of what stands after a quote, cut at a word."""
    text = text.rstrip()
    if len(text) <= AROUND:
        return text
    cut = text[:AROUND]
    blanks = [match.start() for match in _BREAK.finditer(cut)]
    return (cut[: blanks[-1]] if blanks and blanks[-1] > 0 else cut) + "…"

"""Whether a difference of capital and small letters is prose, or may be a code or a name.

Prose is: the first word of a sentence, and a line that is capitals throughout. Everything else keeps its case: `US` is
not `us`, `Apple` is not `apple`, `ERR-4a` is not `ERR-4A`.
"""

from __future__ import annotations

import re

from core.verification.folding import Folded
from core.verification.wording import words

_SENTENCE_OPENS = re.compile(r"""(?:\A|[\n•]|[.!?…:]["'”’»)\]]*\s|\s\|\s)[\s"'“‘«(\[¿¡*_`#>•-]*\Z""")
_LOOK_BACK = 24
_JOINED = re.compile(r"[\w@#/\\=+]|[.\-'](?=\w)")
_ONE_LETTER_WORDS = frozenset("ayoeuà")
_SHORT_WORDS = words("""
    a al con de del el en es la las lo los no o por se sin su sus un una y and any are for in not of on or the to
""")
_LINE_OF_CAPITALS_HAS = 4
_LONG_WORD = 4


def case_is_presentation(document: Folded, at: int, quote: Folded, start: int, end: int) -> bool:
    """Whether `quote.text[start:end]` and the document's text at `at`, equal in small letters, differ in prose only."""
    ours, theirs = quote.text, document.text
    shift = at - start
    place = start
    while place < end:
        if ours[place] == theirs[place + shift]:
            place += 1
            continue
        first, last = _token(ours, place, start, end)
        outer_first, outer_last = _token(theirs, place + shift, 0, len(theirs))
        if (outer_first, outer_last) != (first + shift, last + shift):
            return False  # the quote's word is part of a longer one
        if not _word_may_differ(document, outer_first, theirs[outer_first:outer_last], quote, first, ours[first:last]):
            return False
        place = last
    return True


def _token(text: str, place: int, start: int, end: int) -> tuple[int, int]:
    """The run of characters around a place that make one word or code."""
    first = last = place
    while first > start and _joined(text, first - 1):
        first -= 1
    while last < end and _joined(text, last):
        last += 1
    return first, last


def _joined(text: str, place: int) -> bool:
    return _JOINED.match(text, place) is not None


def _word_may_differ(document: Folded, at: int, theirs: str, quote: Folded, place: int, ours: str) -> bool:
    if not theirs.replace("'", "").replace("-", "").isalpha():
        return False
    if len(theirs) == 1 and theirs.lower() not in _ONE_LETTER_WORDS:
        return False
    if theirs.islower() and _capitalised(ours):
        return _opens_sentence(quote.source, quote.source_span(place, place + 1)[0])
    offset = document.source_span(at, at + 1)[0]
    if _capitalised(theirs) and ours.islower():
        return _opens_sentence(document.source, offset) and not _is_name(document.source, theirs)
    if theirs.isupper() and not ours.isupper() and (ours.islower() or _capitalised(ours)):
        return (len(theirs) >= _LONG_WORD or theirs.lower() in _SHORT_WORDS) and _in_line_of_capitals(
            document.source, offset
        )
    return False


def _capitalised(word: str) -> bool:
    return word[:1].isupper() and (len(word) == 1 or word[1:].islower())


def _opens_sentence(text: str, offset: int) -> bool:
    return _SENTENCE_OPENS.search(text[max(0, offset - _LOOK_BACK) : offset]) is not None


def _is_name(text: str, word: str) -> bool:
    """Whether the capitalised word also stands inside a sentence, where only names have capitals."""
    return re.search(rf"[^\W_],?[ \n]{re.escape(word)}\b", text) is not None


def _in_line_of_capitals(text: str, offset: int) -> bool:
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)]
    return line.isupper() and len(line.split()) >= _LINE_OF_CAPITALS_HAS

"""Where a quote may begin and end: never inside a word, a number, or a number and its sign, unit or currency."""

from __future__ import annotations

import re
import unicodedata

from core.verification.folding import CURRENCY, INVISIBLE, closes_quotation
from core.verification.units import AFTER_NUMBER

_JOINS_LETTERS = frozenset("-‐‑'’./:@\\&_·")
_JOINS_DIGITS = frozenset("-‐‑–−/.,:'’·⁄×x*^")
_SIGNS = frozenset("-‐‑–−+±~≈<>≤≥" + CURRENCY)
_AFTER_NUMBER = re.compile(
    rf"""
      [\u00a0\u2000-\u200a\u202f\x20]?(?:[%‰°ºª{CURRENCY}″′]|EUR\b|USD\b|GBP\b)
    | \x20(?:mil|mill[oó]n(?:es)?|billones|billón|thousand|million|billion|trillion|hundred|por\x20cien(?:to)?
          |per\x20?cent|percent|k|M)\b
    | [\u00a0\u2009\u202f\x20]\d{{3}}(?!\w|[.,]\d)
    """,
    re.VERBOSE,
)
_BEFORE_NUMBER = re.compile(rf"(?:[<>≤≥±≈~{CURRENCY}]|\b(?:EUR|USD|GBP))[\u00a0\u202f\x20]?\Z")
_THOUSANDS_BEFORE = re.compile(r"(?<![\w.,])\d{1,3}[\u00a0\u2009\u202f\x20]\Z")
_GROUP = re.compile(r"\d{3}(?!\w|[.,]\d)")
_CLOSES_EMPHASIS = re.compile(r"(?<=\w)_(?!\w)")
_FAR = 300
_QUOTATION_MARKS = frozenset("\"'”’“‘")


def cuts_word_or_number(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` begins or ends inside a word or a number."""
    return _cut_at_start(text, start) or _cut_at_end(text, end)


def _cut_at_start(text: str, start: int) -> bool:
    if start == 0:
        return False
    first = text[start]
    before = text[start - 1]
    if before == " " or before == "\n":
        if not first.isnumeric():
            return False
    elif unicodedata.combining(first):
        return True
    while before in INVISIBLE and start > 1:
        start -= 1
        before = text[start - 1]
    if _is_word(first):
        if _is_word(before):
            return not _opens_emphasis(text, start)
        if before in _JOINS_LETTERS and start > 1 and _is_word(text[start - 2]):
            return True
    elif first in CURRENCY:
        return before.isalpha() or before in "-−+"
    if first.isnumeric():
        if before in _SIGNS and not (before == "–" and text[start - 2 : start - 1].isalpha()):
            return True
        if before in ".," and not text[start - 2 : start - 1].isalpha():
            return True
        head = text[max(0, start - 8) : start]
        if before in _JOINS_DIGITS and start > 1 and text[start - 2].isnumeric():
            return True
        if _THOUSANDS_BEFORE.search(head) and _GROUP.match(text, start):
            return True
        return _BEFORE_NUMBER.search(head) is not None
    return first in "%‰°″′" and before.isnumeric()


def _cut_at_end(text: str, end: int) -> bool:
    if end >= len(text):
        return False
    last = text[end - 1]
    after = text[end]
    if after == " " or after == "\n":
        if not last.isnumeric():
            return False
    elif unicodedata.combining(after):
        return True
    while after in INVISIBLE and end + 1 < len(text):
        end += 1
        after = text[end]
    following = text[end + 1 : end + 2]
    if _is_word(last):
        if _is_word(after):
            return not (after == "_" and not _is_word(following or " ") and "_" in text[max(0, end - _FAR) : end])
        if after in _JOINS_LETTERS and following and _is_word(following):
            return True
        if after in "+#" and not (following and _is_word(following)):
            return True  # C++, C#
    if last in CURRENCY or (last in "-−–+±~<>≤≥" and not text[end - 2 : end - 1].isalnum()):
        if after.isnumeric():
            return not text[end - 2 : end - 1].isnumeric()
        return False
    if last.isnumeric():
        if after in _JOINS_DIGITS and following.isnumeric():
            return True
        if after in _QUOTATION_MARKS:
            return not closes_quotation(text, end)
        if _AFTER_NUMBER.match(text, end):
            return True
        unit = AFTER_NUMBER.match(text, end)
        return unit is not None and unit["unit"] is not None
    return False


def _opens_emphasis(text: str, start: int) -> bool:
    """Whether the underscore before a place is a Markdown mark, not a part of a name: `_so it is_`."""
    if text[start - 1] != "_" or (start > 1 and _is_word(text[start - 2])):
        return False
    return _CLOSES_EMPHASIS.search(text, start, start + _FAR) is not None


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"

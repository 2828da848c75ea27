"""What a question names: people, places, products, codes, numbers. A passage that holds none of them is about others.

Words are all that a similarity of meanings is good at; of two towns or two versions it knows no difference. So what is
named is looked for letter by letter, and what is missing lowers the confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.index.analysis import PLAIN, terms

_WORD = re.compile(r"\w+")
_BEGINNINGS = frozenset(".?!¿¡:(\"«“'‘\n-–—•")
LONGEST_ENDING = 2
"""Letters that a name may have beyond the question's: a plural, a genitive."""


def names_of(question: str) -> frozenset[str]:
    """The terms of what a question names: words with a digit or in capitals, and capitals inside a sentence.

    A capital that begins a sentence says nothing, so a name in that place is not seen.
    """
    found = (m.group() for m in _WORD.finditer(question) if _is_name(m.group(), question[: m.start()].rstrip()))
    return frozenset(term for word in found for term in terms(word, PLAIN))


def missing(names: frozenset[str], text_terms: Iterable[str]) -> float:
    """The share (0–1) of these names that is not among the unstemmed terms of a text; 0 where nothing is named."""
    if not names:
        return 0.0
    present = set(text_terms)
    return sum(not _held(name, present) for name in names) / len(names)


def _is_name(word: str, before: str) -> bool:
    if any(c.isdigit() for c in word):
        return True
    if len(word) < 2 or not word[0].isupper():
        return False
    return word.isupper() or (bool(before) and before[-1] not in _BEGINNINGS)


def _held(name: str, present: set[str]) -> bool:
    if name in present:
        return True
    if len(name) < 4 or any(c.isdigit() for c in name):
        return False
    return any(term.startswith(name) and len(term) <= len(name) + LONGEST_ENDING for term in present)

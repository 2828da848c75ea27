"""What a question names: people, places, products, codes, numbers. A passage that holds none of them is about others.

Words are all that a similarity of meanings is good at; of two towns or two versions it knows no difference. So what is
named is looked for letter by letter, and what is missing lowers the confidence. Not each name counts alike: a town may
stand in the table above, and a follow-up takes along what was named before, whether it is about that or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from core.index.analysis import PLAIN, terms

_WORD = re.compile(r"\w+")
_BEGINNINGS = frozenset(".?!¿¡:(\"«“'‘\n-–—•")
LONGEST_ENDING = 2
"""Letters that a name may have beyond the question's: a plural, a genitive."""
CARRIED = 0.5
"""What a name counts that the question before named, against one of this question."""
ELSEWHERE = 0.5
"""What a name counts as missing that another passage of the same document holds."""

_CAPITALS = """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays january february march april may june july august september october november december spanish
    english irish portuguese french german italian british american european dutch catalan basque galician christmas
    easter"""
_CAPITAL_BY_GRAMMAR = frozenset(_WORD.findall(_CAPITALS))
"""Words that English writes with a capital and other languages do not: a passage in another has them as other words."""
_AMOUNT = re.compile(
    r"[€$£]\s?\d[\d.,]*\d|[€$£]\s?\d"
    r"|\d[\d.,]*(?<=\d)\s?(?:€|\$|£|%|eur(?:os?)?\b|d[oó]lar(?:es)?\b|dollars?\b|pounds?\b|libras?\b)",
    re.IGNORECASE,
)
"""Money and shares: a table answers for a range, and seldom holds the very amount."""


def names_of(question: str) -> frozenset[str]:
    """The terms of what a question names: words with a digit or in capitals, and capitals inside a sentence.

    A capital that begins a sentence says nothing, so a name in that place is not seen. An amount of money
    names nothing.
    """
    amounts = amounts_of(question)
    found = (
        m.group()
        for m in _WORD.finditer(question)
        if _is_name(m.group(), question[: m.start()].rstrip())
        and not any(start <= m.start() < end for start, end in amounts)
    )
    return frozenset(term for word in found for term in terms(word, PLAIN) if term not in _CAPITAL_BY_GRAMMAR)


def amounts_of(question: str) -> tuple[tuple[int, int], ...]:
    """Where amounts of money and shares stand in a question, unit included."""
    return tuple(match.span() for match in _AMOUNT.finditer(question))


def weighed_names(question: str, typed: str) -> dict[str, float]:
    """What a whole question names, and what each name counts.

    Args:
        question: the whole question, with what a follow-up leans on.
        typed: what was typed last. A name that only the question before has counts less; nothing where a new one
            stands in for it ("and in Porto?").
    """
    own, every = names_of(f"· {typed}"), names_of(question)
    if not typed or own >= every:
        return dict.fromkeys(every, 1.0)
    carried = 0.0 if own else CARRIED
    return {name: 1.0 if name in own else carried for name in every}


def missing(names: Mapping[str, float], text_terms: Iterable[str], around: Iterable[str] = ()) -> float:
    """How much (0–1) of these names is not among the unstemmed terms of a text; 0 where nothing is named.

    `around` are the terms of the rest of its document: a name there, without a digit, is missing by half. What counts
    less than 1 is missed less, so the value is a share only where every name counts in full.
    """
    present, beside = set(text_terms), set(around)
    if not names:
        return 0.0
    missed = sum(
        weight * (ELSEWHERE if _held(name, beside) and not any(c.isdigit() for c in name) else 1.0)
        for name, weight in names.items()
        if not _held(name, present)
    )
    return missed / len(names)


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

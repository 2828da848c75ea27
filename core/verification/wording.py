"""Small ways with words that the verifier's tables are written in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable


def words(text: str) -> frozenset[str]:
    """The words of a table that is written as text."""
    return frozenset(text.split())


def pairs(text: str) -> dict[str, str]:
    """A table of lines `meaning: word word "two words" …` as a map from each word to its meaning."""
    table: dict[str, str] = {}
    for line in text.strip().splitlines():
        meaning, _, forms = line.partition(":")
        for quoted, plain in re.findall(r'"([^"]+)"|(\S+)', forms):
            table[quoted or plain] = meaning.strip()
    return table


def any_of(forms: Iterable[str]) -> str:
    """A pattern for any of these forms, the longest first."""
    return "|".join(re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)))


def without_accents(text: str) -> str:
    """The text in small letters without accents, for comparing words (never for quotes)."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


_SPANISH = words("""
    el la los las un una unos unas de del al y o que en con por para se su sus es son está están hay no lo le les como
    más pero si ha han tiene tienen puede pueden debe deben cada días año mes según sin hasta desde cuando
""")
_ENGLISH = words("""
    the a an of and or that in with by for to is are was were be been there not it its their his her as more but if has
    have can may must each days year month without up from when who which this these they you your at on
""")
_WORD = re.compile(r"[^\W\d_]+")


def spanish_or_english(text: str) -> str:
    """`es` or `en` by the function words of a sentence; empty where they do not tell."""
    said = _WORD.findall(text.lower())
    spanish = sum(word in _SPANISH for word in said) + 2 * ("¿" in text or "ñ" in text)
    english = sum(word in _ENGLISH for word in said)
    if spanish == english:
        return ""
    return "es" if spanish > english else "en"

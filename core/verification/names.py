"""Codes and names in a claim must stand in its quotes; the title and section of a cited passage count for names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.verification.calendar_forms import MONTHS, WEEKDAYS
from core.verification.folding import fold
from core.verification.qualifiers import regions
from core.verification.values import Value, ValueKind
from core.verification.wording import pairs, without_accents, words

_NAME = re.compile(r"(?<![\w@.])[A-ZÁÉÍÓÚÑ][\w'’&-]*(?:\s+(?:(?:de|del|de la|of|the|y|and)\s+)?[A-ZÁÉÍÓÚÑ][\w'’&-]*)*")
_SENTENCE_OPENS = re.compile(r"(?:\A|[.!?:•\n]|\s[-–])[\s\"“«‘'(¿¡*]*\Z")
_LINKS = words("de del la of the y and el los las")
_BOTH = pairs("""
    christmas: navidad navidades christmas
    new year: "año nuevo" "new year" "new years"
    easter: "semana santa" pascua easter
    social security: "seguridad social" "social security"
    human resources: "recursos humanos" "human resources" rrhh hr
    information technology: informática it ti
    world war: "segunda guerra mundial" "primera guerra mundial" "world war"
""")
_COGNATE = 3
_ROMAN = re.compile(r"[IVXLC]+")
_WORD_AND_NUMBER = re.compile(r"[a-zá-ÿ]{3,}-(?P<number>\d+)")


def missing_codes(values: Sequence[Value], quotes: Sequence[str], across: bool = False) -> list[str]:
    """The codes, addresses and file names of a claim that stand in none of its quotes, letter by letter.

    Across languages the word of `oxígeno-18` may be translated, its number may not.
    """
    folded = [fold(quote).text for quote in quotes]
    missing = []
    for value in values:
        if value.first.kind is not ValueKind.CODE:
            continue
        code = fold(value.first.code).text
        if across and (worded := _WORD_AND_NUMBER.fullmatch(code)):
            code = worded["number"]
        pattern = re.compile(rf"(?<![\w-]){re.escape(code)}(?!\w|[-./]\w)")
        if not any(pattern.search(quote) for quote in folded):
            missing.append(value.text)
    return missing


def missing_names(claim: str, quotes: Sequence[str], context: Sequence[str], across: bool) -> list[str]:
    """The names of a claim that neither its quotes nor the titles and sections (`context`) of its passages hold.

    Across languages a name may be translated (`Estados Unidos`), so only a name of several words of which none has a
    likeness in the quotes is missed.
    """
    given = without_accents(" ".join((*quotes, *context)))
    given_words = frozenset(re.findall(r"\w+", given))
    known = {found.name for found in regions(" ".join((*quotes, *context)))}
    missing = []
    for name in _names(claim):
        parts = _parts(name)
        if not parts or {found.name for found in regions(name)} & known or _translated(name, given):
            continue
        if across:
            if len(name.split()) > 1 and not _alike(parts, given_words):
                missing.append(name)
        elif not all(part in given_words or part.rstrip("s") in given_words for part in parts):
            missing.append(name)
    if across and missing:
        said = frozenset(re.findall(r"\w+", without_accents(claim)))
        untold = sum(not _alike(_parts(name), said) for quote in quotes for name in _names(quote))
        return missing[untold:]  # each may be the translation of a name of the quote that the claim does not have
    return missing


def _parts(name: str) -> list[str]:
    return [word for word in re.findall(r"\w+", without_accents(name)) if word not in _LINKS and len(word) > 1]


def _alike(parts: Sequence[str], words_given: frozenset[str]) -> bool:
    """Whether any part of a name begins as one of these words does: `Unidos`, `United`."""
    beginnings = {word[:_COGNATE] for word in words_given}
    return any(part[:_COGNATE] in beginnings for part in parts)


def _names(claim: str) -> list[str]:
    names = []
    for match in _NAME.finditer(claim):
        name = match[0]
        if _SENTENCE_OPENS.search(claim[max(0, match.start() - 6) : match.start()]):
            head, _, rest = name.partition(" ")
            if not rest and not _looks_like_name(head):
                continue
            if not _looks_like_name(head):
                first = rest.split(" ")[0]
                name = rest.partition(" ")[2] if first in _LINKS else rest
        plain = without_accents(name)
        if all(_ROMAN.fullmatch(part) for part in name.split() if part.lower() not in _LINKS):
            continue
        if name and plain not in MONTHS and plain not in WEEKDAYS and len(plain) > 1:
            names.append(name)
    return names


def _looks_like_name(word: str) -> bool:
    """A capital inside the word: `PostgreSQL`, `VPN`."""
    return any(character.isupper() for character in word[1:])


def _translated(name: str, given: str) -> bool:
    meaning = _BOTH.get(name.lower())
    return meaning is not None and any(
        re.search(rf"(?<!\w){re.escape(without_accents(form))}(?!\w)", given)
        for form, its in _BOTH.items()
        if its == meaning
    )

"""Numbers as they are written: `1.500,50`, `1,500.50`, `1 500`, `6½`, `veintidós`, `two hundred and five`.

A single separator before three digits (`1.500`) can be read in two ways. Both readings are kept; the convention of the
text's language says which comes first, and where the language is not known, neither does.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from core.verification.wording import any_of, without_accents

SPANISH, ENGLISH = "es", "en"

FRACTION_SIGNS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_SPACES = " \u00a0\u2009\u202f"
LITERAL = (
    rf"(?:\d{{1,3}}(?:[{_SPACES}'’]\d{{3}})+(?![{_SPACES}'’]?\d)(?:[.,]\d+)?"
    rf"|\d{{1,3}}(?:\.\d{{3}})+,\d+|\d{{1,3}}(?:,\d{{3}})+\.\d+"
    rf"|\d{{1,3}}(?:\.\d{{3}}){{2,}}|\d{{1,3}}(?:,\d{{3}}){{2,}}"
    rf"|\d+[.,]\d+|\d+[{FRACTION_SIGNS}]?|[{FRACTION_SIGNS}])"
)
"""A pattern for an unsigned number in digits."""


def read_literal(text: str, language: str = "") -> tuple[Decimal, ...]:
    """All readings of a number in digits, the one of the language's convention first."""
    sign = 1
    if text[:1] in "-−+":
        sign = -1 if text[0] != "+" else 1
        text = text[1:]
    fraction = Decimal(0)
    if text and text[-1] in FRACTION_SIGNS:
        fraction = _fraction(text[-1])
        text = text[:-1] or "0"
    text = re.sub(rf"[{_SPACES}'’]", "", text)
    return tuple(sign * (number + fraction) for number in _readings(text, language))


def _readings(text: str, language: str) -> tuple[Decimal, ...]:
    points, commas = text.count("."), text.count(",")
    if not points and not commas:
        return (Decimal(text),)
    if points and commas:
        decimal = max(text.rfind("."), text.rfind(","))
        return (Decimal(re.sub(r"[.,]", "", text[:decimal]) + "." + text[decimal + 1 :]),)
    plain = re.sub(r"[.,]", "", text)
    if points + commas > 1:
        return (Decimal(plain),)
    as_decimal = Decimal(text.replace(",", "."))
    whole, _, rest = text.replace(",", ".").partition(".")
    if len(rest) != 3 or len(whole) > 3 or whole.startswith("0"):
        return (as_decimal,)
    grouped = Decimal(plain)
    point_groups = language != ENGLISH
    return (grouped, as_decimal) if point_groups == bool(points) else (as_decimal, grouped)


def is_ambiguous(text: str) -> bool:
    """Whether a number in digits has two readings."""
    return len(read_literal(text)) > 1


def _fraction(sign: str) -> Decimal:
    numerator, denominator = unicodedata.normalize("NFKC", sign).split("\u2044")
    return Decimal(numerator) / Decimal(denominator)


def _counted(text: str, first: int, step: int = 1) -> dict[str, int]:
    return {word: first + step * place for place, word in enumerate(text.split())}


_SMALL = {
    **_counted("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen", 0),
    **_counted("sixteen seventeen eighteen nineteen", 16),
    **_counted("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10),
    **_counted("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince", 0),
    **_counted("dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro", 16),
    **_counted("veinticinco veintiseis veintisiete veintiocho veintinueve", 25),
    **_counted("treinta cuarenta cincuenta sesenta setenta ochenta noventa cien", 30, 10),
    **_counted(
        "doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos", 200, 100
    ),
    **_counted(
        "doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas novecientas", 200, 100
    ),
    **{"un": 1, "una": 1, "veintiun": 21, "veintiuna": 21, "ciento": 100},
}
SCALES = {
    "hundred": 100, "mil": 10**3, "thousand": 10**3, "millon": 10**6, "millones": 10**6, "million": 10**6,
    "millions": 10**6, "mil millones": 10**9, "billion": 10**9, "billions": 10**9, "billon": 10**12,
    "billones": 10**12, "trillion": 10**12, "bn": 10**9,
}  # fmt: skip
"""Words that multiply the number before them. `billón` is a million millions, `billion` a thousand."""

SINGLE = frozenset({"un", "una", "uno", "one"})
"""These are also articles and pronouns: alone they are numbers only before a unit."""

_ACCENTED = {
    "dieciseis": "dieciséis", "veintidos": "veintidós", "veintitres": "veintitrés", "veintiseis": "veintiséis",
    "veintiun": "veintiún", "millon": "millón", "billon": "billón",
}  # fmt: skip
_WORDS = {*_SMALL, *(word for word in SCALES if " " not in word and word != "bn")}
_FORMS = any_of(_WORDS | {_ACCENTED[word] for word in _WORDS & _ACCENTED.keys()})
IN_WORDS = rf"(?:{_FORMS})(?:(?:\s+y\s+|\s+and\s+|\s+|-)(?:{_FORMS}))*"
"""A pattern (in small letters) for a number in words."""
_WORD = re.compile(r"[^\W\d_]+")


def read_words(text: str) -> Decimal | None:
    """Read a number in words; None where the words are not one number (`dos tres`)."""
    total, current = 0, 0
    smallest = 10**18
    for word in _WORD.findall(without_accents(text)):
        if word in ("y", "and"):
            continue
        if (value := _SMALL.get(word)) is not None:
            if current and (value >= _size(current)):
                return None
            current += value
            continue
        scale = SCALES[word]
        if scale == 100:
            current = (current or 1) * 100
        elif word in ("millones", "millon") and total and total < 10**6 and not current:
            total *= scale  # dos mil millones
        else:
            if scale >= smallest and total:
                return None
            smallest = scale
            total += (current or 1) * scale
            current = 0
    return Decimal(total + current)


def _size(number: int) -> int:
    """The place that a number's last digit leaves free: 20 → 10, 200 → 100."""
    size = 1
    while number % (size * 10) == 0:
        size *= 10
    return size

"""Find the values in Spanish and English text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from core.verification.calendar_forms import Moment, find_moments
from core.verification.numerals import IN_WORDS, LITERAL, SCALES, SINGLE, read_literal, read_words
from core.verification.units import (
    AFTER_NUMBER,
    CURRENCIES,
    MONEY_BEFORE,
    PERCENT,
    PERCENTAGE_POINT,
    QUALIFIERS,
    UNITS,
    unit_name,
)
from core.verification.values import Reading, Value, ValueKind
from core.verification.wording import any_of, without_accents

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_CODE = re.compile(
    rf"""
      https?://[^\s<>"]+ | [\w.+-]+@[\w-]+(?:\.[\w-]+)+ | \+\d{{1,3}}(?:[\s.-]?\d{{2,}}){{2,}}
    | (?<![\w.,])\d+(?:\.\d+){{3,}}(?![\w]) | (?<![\w.,])\d{{1,2}}\.\d{{1,2}}\.\d{{1,2}}(?![\w.])
    | \d+[{_SUPERSCRIPTS}]+
    | (?<![\w-])(?=[\w/.\\-]*\d)(?=[\w/.\\-]*[^\W\d])(?!\d+(?:st|nd|rd|th|s|º|ª)\b)(?!\d+[.,]?\d*(?:-[^\W\d_]+)+(?!\w))
      [^\W\d_]*\w*(?:[-_/.\\]\w+)*
    | (?<!\w)[^\W\d_]\w*(?:_\w+)+
    | (?<!\w)[\w-]+\.(?:pdf|docx?|xlsx?|pptx?|csv|json|ya?ml|toml|py|js|sh|txt|html?|zip|exe|md)\b
    | (?<!\w)(?:ISO|IEC|EN|UNE|RFC|DIN|IEEE|NIST|SOC|PCI)\s\d[\d:-]*
    """,
    re.VERBOSE,
)
_UNIT_STUCK = re.compile(rf"{LITERAL}(?:h\d\d|\s?[ap]\.?m\b)?")
_SCALE = r"""
    (?: \s?(?P<scale>(?i:mil\s+millones|millones|millón|mil|billones|billón
            |thousand|millions?|billions?|trillion|hundred))\b
      | \s?(?P<big>bn|[MkK])\b | (?P<small>m)\b )?
"""
_SUFFIX = rf"""
    (?: \s?(?P<point>(?i:{PERCENTAGE_POINT})) | [\s-]?(?P<percent>(?i:{PERCENT}))(?!\w)
      | \s?(?:de\s)?(?P<money>(?i:{any_of(CURRENCIES)}))(?!\w) )?
"""
_SUFFIX_2 = re.sub(r"\?P<(\w+)>", r"?P<\g<1>2>", _SUFFIX)
_NUMBER = re.compile(
    rf"""
      (?<![\w.,])(?P<before>(?:(?<!\w)(?:{MONEY_BEFORE})\s?)?)
      (?P<sign>(?<![^\s(\[{{=<>:;|"'$€£¥])[-−–+])?(?P<inner>(?:{MONEY_BEFORE})\s?)?
      (?P<literal>{LITERAL})(?![\d{_SUPERSCRIPTS}]){_SCALE}{_SUFFIX}
    | (?<![\w-])(?P<words>(?i:{IN_WORDS}))(?!\w|-(?:{IN_WORDS})\b){_SUFFIX_2}
    """,
    re.VERBOSE,
)
_RANGE = re.compile(r"\s?(?:[-–—/]|\b(?:a|al|to|y|and|o|or|u|hasta|y\s+los|y\s+las)\b)\s?", re.IGNORECASE)
_ORDINAL_NAMES = (
    "first primer primero primera", "second segundo segunda", "third tercer tercero tercera", "fourth cuarto cuarta",
    "fifth quinto quinta", "sixth sexto sexta", "seventh septimo septima", "eighth octavo octava",
    "ninth noveno novena", "tenth decimo decima", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth",
    "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
_ORDINALS = {name: number for number, names in enumerate(_ORDINAL_NAMES, start=1) for name in names.split()}
_ORDINAL = re.compile(
    rf"""
      (?<![\w.,])(?P<digits>\d+)(?:\.?[ºª]|\.?(?:er|ra|ro|do|da|to|ta)\b|st\b|nd\b|rd\b|th\b)
    | \b(?P<word>{any_of(_ORDINALS)}|séptim[oa]|décim[oa])\b(?!\s+(?:lugar|place|of\s+all|que\s+nada)|,)
    | \bsiglo\s+(?P<century>[IVX]+)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DECADE = re.compile(r"(?<![\w.,])(?P<year>\d{4})s\b|\baños\s(?P<short>[2-9]0)\b")
_NEGATIVE_WORD = re.compile(r"(?<!\bal\s)(?<!\blo\s)\b(?:minus|menos)\s\Z", re.IGNORECASE)
_ROMAN = {"I": 1, "V": 5, "X": 10}


def extract_values(text: str, language: str = "") -> tuple[Value, ...]:
    """Find all values of a text, in order. `language` (`es`, `en`) decides which reading of `1.500` comes first."""
    taken: list[tuple[int, int]] = []
    values: list[Value] = []

    def take(value: Value) -> None:
        if all(value.end <= start or value.start >= end for start, end in taken):
            taken.append((value.start, value.end))
            values.append(value)

    for source in (_moments(text, language), _codes(text), _ordinals(text)):
        for value in source:
            take(value)
    for value in _share_units(text, list(_numbers(text, language))):
        take(value)
    return tuple(sorted(values, key=lambda value: value.start))


def _moments(text: str, language: str) -> Iterator[Value]:
    for moment in find_moments(text, language):
        yield _moment_value(text, moment)


def _moment_value(text: str, moment: Moment) -> Value:
    readings: tuple[Reading, ...]
    if moment.days:
        readings = tuple(Reading(ValueKind.DATE, day=day) for day in moment.days)
    elif moment.weekday:
        readings = (Reading(ValueKind.WEEKDAY, Decimal(moment.weekday)),)
    else:
        readings = (Reading(ValueKind.TIME, Decimal(moment.minutes)),)
    sure = len(readings) == 1
    return Value(moment.start, moment.end, text[moment.start : moment.end], readings, sure)


def _codes(text: str) -> Iterator[Value]:
    for match in _CODE.finditer(text):
        code = match[0].rstrip(".,;:)")
        if len(code) < 2 or _is_measure(code):
            continue
        yield Value(match.start(), match.start() + len(code), code, (Reading(ValueKind.CODE, code=code),))


_PREFIXED = re.compile(r"(?:mid|pre|post|early|late|medi?ados)-\d", re.IGNORECASE)
_MONEY_OR_WEIGHT = frozenset({"libra", "libras", "pound", "pounds"})


def _is_measure(text: str) -> bool:
    """Whether what looks like a code is a number stuck to its unit: `5km`, `20h`, `3M`, `30-day`, `USD5`, `1990s`."""
    if text in UNITS or _PREFIXED.match(text):
        return True
    if not text[0].isdigit():
        return re.fullmatch(rf"(?:{MONEY_BEFORE}){LITERAL}(?:[kKM]|bn)?", text) is not None
    number = _UNIT_STUCK.match(text)
    if number is None:
        return False
    rest = text[number.end() :]
    if not rest or rest in ("M", "k", "K", "bn", "x", "s"):
        return True
    unit = AFTER_NUMBER.match(text, number.end())
    if unit is not None:
        return unit.end() == len(text) or text[unit.end()] in "-/"
    return rest.upper() in CURRENCIES


def _ordinals(text: str) -> Iterator[Value]:
    for match in _ORDINAL.finditer(text):
        if match["digits"]:
            number = int(match["digits"])
        elif match["century"]:
            number = _roman(match["century"].upper())
        else:
            number = _ORDINALS[without_accents(match["word"])]
        yield Value(*match.span(), match[0], (Reading(ValueKind.ORDINAL, Decimal(number)),))
    for match in _DECADE.finditer(text):
        year = Decimal(match["year"] or 1900 + int(match["short"]))
        yield Value(*match.span(), match[0], (Reading(ValueKind.NUMBER, year),))


def _roman(text: str) -> int:
    numbers = [_ROMAN[letter] for letter in text]
    return sum(
        -number if number < following else number for number, following in zip(numbers, [*numbers[1:], 0], strict=True)
    )


def _numbers(text: str, language: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        read = _number_in_words if match["words"] else _number_in_digits
        value = read(text, match, language)
        if value is not None:
            yield value


def _number_in_digits(text: str, match: re.Match[str], language: str) -> Value:
    amounts = read_literal(match["literal"], language)
    sign = match["sign"]
    if sign in ("-", "−") or _NEGATIVE_WORD.search(text[max(0, match.start() - 12) : match.start()]):
        amounts = tuple(-amount for amount in amounts)
    elif sign == "–":
        amounts = (*(-amount for amount in amounts), *amounts)
    before = (match["before"] or match["inner"] or "").strip()
    if match["small"] and not before:  # "5m" is metres, "$5m" millions
        return _in_metres(text, match, amounts, language)
    zeros = _zeros(match["scale"] or match["big"] or match["small"] or "")
    amounts = tuple(amount.scaleb(zeros) if zeros else amount for amount in amounts)
    sure = len(amounts) == 1 or (language in ("es", "en") and sign != "–")
    kind, unit, qualifier, end = _measure(text, match, before, "")
    readings = tuple(Reading(kind, amount, unit, qualifier) for amount in amounts)
    if not zeros and (match["money"] or "").lower() in _MONEY_OR_WEIGHT:
        readings += tuple(Reading(ValueKind.QUANTITY, amount, "lb") for amount in amounts)
        sure = False
    return Value(match.start(), end, text[match.start() : end], readings, sure)


def _in_metres(text: str, match: re.Match[str], amounts: tuple[Decimal, ...], language: str) -> Value:
    readings = tuple(Reading(ValueKind.QUANTITY, amount, "m") for amount in amounts)
    return Value(*match.span(), text[slice(*match.span())], readings, len(amounts) == 1 or bool(language))


def _number_in_words(text: str, match: re.Match[str], language: str) -> Value | None:
    said = match["words"].lower()
    if said == "once" and language != "es":
        return None  # English "once" is no eleven
    amount = read_words(said)
    if amount is None:
        return None
    kind, unit, qualifier, end = _measure(text, match, "", "2")
    if said in SINGLE and kind is ValueKind.NUMBER:
        return None
    return Value(match.start(), end, text[match.start() : end], (Reading(kind, amount, unit, qualifier),))


def _measure(text: str, match: re.Match[str], before: str, which: str) -> tuple[ValueKind, str, str, int]:
    """What a number counts: (kind, unit, qualifier, where it ends)."""
    end = match.end()
    if before:
        return ValueKind.MONEY, _currency(before), "", end
    if match["point" + which]:
        return ValueKind.QUANTITY, "percentage point", "", end
    if match["percent" + which]:
        return ValueKind.PERCENT, "", "", end
    if match["money" + which]:
        return ValueKind.MONEY, _currency(match["money" + which]), "", end
    unit = AFTER_NUMBER.match(text, end)
    if unit is None:
        return ValueKind.NUMBER, "", "", end
    if unit["mark"]:
        if which or text[end].isspace() or unit.start("mark") != end:
            return ValueKind.NUMBER, "", "", end
        return ValueKind.QUANTITY, "inch" if unit["mark"] in '"”″' else "foot", "", unit.end()
    qualifier = unit["before"] or unit["after"] or ""
    return ValueKind.QUANTITY, unit_name(unit["unit"]), QUALIFIERS.get(qualifier.strip(" -").lower(), ""), unit.end()


def _currency(form: str) -> str:
    return CURRENCIES.get(form) or CURRENCIES.get(form.upper()) or CURRENCIES[form.lower()]


def _zeros(word: str) -> int:
    """How many zeros a scale word adds. The amount keeps its precision: `1.5 million` is 1.5E+6."""
    if not word:
        return 0
    if word in ("M", "m"):
        return 6
    if word in ("k", "K"):
        return 3
    return len(str(SCALES[" ".join(without_accents(word).split())])) - 1


def _share_units(text: str, values: list[Value]) -> list[Value]:
    """Give the first number of a range the unit of the second: `3-5 days`, `entre 2 y 4 %`."""
    for place in range(len(values) - 2, -1, -1):
        value, following = values[place], values[place + 1]
        if value.first.kind is not ValueKind.NUMBER or following.first.kind is ValueKind.NUMBER:
            continue
        if _RANGE.fullmatch(text, value.end, following.start):
            model = following.first
            values[place] = replace(
                value,
                readings=tuple(
                    replace(reading, kind=model.kind, unit=model.unit, qualifier=model.qualifier)
                    for reading in value.readings
                ),
            )
    return values

"""Dates, times of day and weekdays in Spanish and English forms.

A date is (year, month, day) with 0 for what is not said. `03/04/2025` has two readings, except in Spanish, where the
day always comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.verification.wording import any_of, without_accents

Day = tuple[int, int, int]

_MONTH_NAMES = (
    "enero january ene jan", "febrero february feb", "marzo march mar", "abril april abr apr", "mayo may",
    "junio june jun", "julio july jul", "agosto august ago aug", "septiembre setiembre september sept sep",
    "octubre october oct", "noviembre november nov", "diciembre december dic dec",
)  # fmt: skip
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()}
_WEEKDAY_NAMES = (
    "lunes monday mondays", "martes tuesday tuesdays", "miercoles wednesday wednesdays", "jueves thursday thursdays",
    "viernes friday fridays", "sabado sabados saturday saturdays", "domingo domingos sunday sundays",
)  # fmt: skip
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAY_NAMES, start=1) for name in names.split()}

_MONTH = any_of(MONTHS)
_LONG_MONTH = any_of(name for name in MONTHS if len(name) > 4 and name not in ("march",))
_ORDINAL = r"(?:\.?º|er|ro|st|nd|rd|th)?"
_TO = r"\s*(?:-|–|\ba\b|\bal\b|\bto\b|\by\b|\band\b|\bthrough\b|\buntil\b|\bhasta el\b)\s*(?:el\s+)?"
_YEAR = r"(?:\s*,?\s*(?:(?:de|del|of)\s+)?(?P<{}>\d{{4}})(?!\d))?"

_DATE = re.compile(
    rf"""
      (?P<iso>(?<!\d)(\d{{4}})-(\d{{2}})-(\d{{2}})(?!\d))
    | (?P<numeric>(?<![\d/.-])(\d{{1,2}})(?P<sep>[/.-])(\d{{1,2}})(?P=sep)(\d{{4}}|\d{{2}})(?![\d/]|[.-]\d))
    | (?<![\d.,])(?:(?P<d0>\d{{1,2}}){_ORDINAL}{_TO})?(?P<d1>\d{{1,2}}){_ORDINAL}\s+(?:de\s+|of\s+)?
      (?P<m1>{_MONTH})\b\.?{_YEAR.format("y1")}
    | \b(?P<m2>{_MONTH})\b\.?\s+(?:the\s+)?(?P<d2>\d{{1,2}}){_ORDINAL}(?![\d%]|[.,:]\d|\s*%)
      (?:{_TO}(?P<d3>\d{{1,2}}){_ORDINAL}(?![\d%]|[.,:]\d))?{_YEAR.format("y2")}
    | \b(?P<m4>{_MONTH})\b\.?\s+(?:de\s+|del\s+|of\s+)?(?P<y4>\d{{4}})(?!\d)
    | (?P<alone>\b(?:(?P<m5>{_LONG_MONTH})
      |(?:(?<=in\s)|(?<=of\s)|(?<=by\s)|(?<=en\s)|(?<=de\s)|(?<=until\s)|(?<=since\s)|(?<=from\s)|(?<=every\s))
       (?P<m6>mayo|may|march))\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HALF = (
    r"(?P<half{}>a\.?\s?m\b\.?|p\.?\s?m\b\.?|de\s+la\s+(?:mañana|tarde|noche)|in\s+the\s+(?:morning|afternoon|evening))"
)
_TIME = re.compile(
    rf"""
      (?<![\d:.,])(?P<h1>[01]?\d|2[0-4])(?::|\s?h\s?)(?P<min1>[0-5]\d)(?![\d:])
      (?:\s?(?:h|hrs|horas|hours)\b|\s?{_HALF.format(1)})?
    | (?<![\d:.,])(?P<h2>[01]?\d|2[0-4])\s?{_HALF.format(2)}
    | (?:\b(?:a\slas?|las|at)\s)(?P<h3>[01]?\d|2[0-4])(?![\d:.,\s]?\d|\s?(?:%|€|[a-z]))
    | \b(?P<noon>noon|mediodía|midday)\b | \b(?P<midnight>midnight|medianoche)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WEEKDAY = re.compile(rf"\b(?:{any_of({*WEEKDAYS, 'miércoles', 'sábado', 'sábados'})})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, weekday or time of day found in a text. One of `days`, `weekday`, `minutes` is set."""

    start: int
    end: int
    days: tuple[Day, ...] = ()
    """The readings of a date."""
    weekday: int = 0
    minutes: int = -1
    """Minutes since midnight."""


def find_moments(text: str, language: str = "") -> Iterator[Moment]:
    """Find dates, weekdays and times, in no particular order."""
    for match in _DATE.finditer(text):
        yield from _dates(match, language)
    for match in _TIME.finditer(text):
        if (minutes := _minutes(match)) is not None:
            yield Moment(match.start(), match.end(), minutes=minutes)
    for match in _WEEKDAY.finditer(text):
        yield Moment(match.start(), match.end(), weekday=WEEKDAYS[without_accents(match[0])])


def _dates(match: re.Match[str], language: str) -> Iterator[Moment]:
    start, end = match.span()
    if match["iso"]:
        days = _valid([tuple(int(part) for part in match["iso"].split("-"))])
    elif match["numeric"]:
        first, second, year = (int(part) for part in match["numeric"].split(match["sep"]))
        year += 0 if year > 99 else 2000
        days = _valid([(year, second, first)] if language == "es" else [(year, second, first), (year, first, second)])
    elif match["m1"]:
        year, month = int(match["y1"] or 0), MONTHS[match["m1"].lower()]
        days = _valid([(year, month, int(match["d1"]))])
        if match["d0"] and (before := _valid([(year, month, int(match["d0"]))])):
            yield Moment(start, match.end("d0"), before)
            start = match.start("d1")
    elif match["m2"]:
        year, month = int(match["y2"] or 0), MONTHS[match["m2"].lower()]
        days = _valid([(year, month, int(match["d2"]))])
        if match["d3"] and (until := _valid([(year, month, int(match["d3"]))])):
            yield Moment(match.start("d3"), end, until)
            end = match.end("d2")
    elif match["m4"]:
        days = ((int(match["y4"]), MONTHS[match["m4"].lower()], 0),)
    else:
        name = match["m5"] or match["m6"]
        if name.lower() in ("may", "march") and name.islower():
            return
        days = ((0, MONTHS[name.lower()], 0),)
    if days:
        yield Moment(start, end, days)


def _valid(candidates: list[tuple[int, ...]]) -> tuple[Day, ...]:
    days = [(year, month, day) for year, month, day in candidates if 1 <= month <= 12 and 1 <= day <= 31]
    return tuple(dict.fromkeys(days))


def _minutes(match: re.Match[str]) -> int | None:
    if match["noon"]:
        return 12 * 60
    if match["midnight"]:
        return 0
    hour = int(match["h1"] or match["h2"] or match["h3"])
    half = (match["half1"] or match["half2"] or "").lower().replace(".", "").replace(" ", "")
    if half.startswith("p") or "tarde" in half or "noche" in half or "noon" in half or "evening" in half:
        hour = hour + 12 if hour < 12 else hour
    elif half and hour == 12:
        hour = 0
    return hour * 60 + int(match["min1"] or 0) if hour <= 24 else None

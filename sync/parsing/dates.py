"""Dates as exports print them, in any of the languages that Confluence and people use."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata

# Twelve months of a language, by what its names and abbreviations begin with once accents are gone.
_MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec",  # English
    "ene feb mar abr may jun jul ago sep oct nov dic",  # Spanish
    "ene feb mar abr may jun jul ago set oct nov dic",
    "jan fev mar abr mai jun jul ago set out nov dez",  # Portuguese
    "janv fevr mars avr mai juin juil aout sept oct nov dec",  # French
    "jan feb marz apr mai jun jul aug sep okt nov dez",  # German
    "gen feb mar apr mag giu lug ago set ott nov dic",  # Italian
    "gen febr marc abr maig juny jul ag set oct nov des",  # Catalan
    "jan feb maart apr mei jun jul aug sep okt nov dec",  # Dutch
)
_STEMS = sorted(
    ((stem, number) for months in _MONTHS for number, stem in enumerate(months.split(), start=1)),
    key=lambda pair: -len(pair[0]),
)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})"
_NAME = r"(?P<month>[^\W\d_]{3,})\.?"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"\b{_YEAR}-(?P<month>\d{{1,2}})-{_DAY}(?!\d)",
        rf"{_YEAR}\s*年\s*(?P<month>\d{{1,2}})\s*月\s*{_DAY}",
        rf"\b{_YEAR}/(?P<month>\d{{1,2}})/{_DAY}(?!\d)",
        rf"\b{_NAME}\s+{_DAY}(?:st|nd|rd|th)?,?\s+{_YEAR}\b",
        rf"\b{_DAY}(?:st|nd|rd|th|er|º|\.)?\s*(?:de\s+|d['’]\s*|of\s+|-)?{_NAME},?\s*(?:de\s+|del\s+|-)?{_YEAR}\b",
        rf"\b{_DAY}[./](?P<month>\d{{1,2}})[./]{_YEAR}\b",
    )
)


def find_dates(text: str) -> list[dt.date]:
    """Find the dates in a text, in order. Of two numbers the first is the day, unless it cannot be."""
    found: dict[int, dt.date] = {}
    for form in _FORMS:
        for match in form.finditer(text):
            date = _date(int(match["year"]), match["month"], int(match["day"]))
            if date is not None:
                found.setdefault(match.start("year"), date)
    return [found[place] for place in sorted(found)]


def read_date(value: object) -> dt.date | None:
    """Read a date of front matter or a settings file: a date, a moment, or text in any form that `find_dates` knows."""
    match value:
        case dt.datetime():
            return value.date()
        case dt.date():
            return value
        case str():
            return next(iter(find_dates(value)), None)
    return None


def read_moment(text: str) -> dt.datetime | None:
    """Read a moment of RFC 3339 (`2026-03-01T10:00:00.000Z`), or a date as its midnight; UTC where no zone is said."""
    try:
        moment = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        date = read_date(text)
        if date is None:
            return None
        moment = dt.datetime.combine(date, dt.time())
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def _date(year: int, month: str, day: int) -> dt.date | None:
    number = int(month) if month.isdigit() else _month_number(month)
    if number is not None and number > 12 >= day:
        number, day = day, number
    try:
        return dt.date(year, number or 0, day)
    except ValueError:
        return None


def _month_number(name: str) -> int | None:
    plain = "".join(c for c in unicodedata.normalize("NFD", name.casefold()) if not unicodedata.combining(c))
    return next((number for stem, number in _STEMS if plain.startswith(stem)), None)

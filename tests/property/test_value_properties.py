"""Amounts and dates written in either language read back as what was written."""

import datetime as dt
import itertools
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from core.verification.numerals import read_literal, read_words
from core.verification.value_forms import extract_values
from core.verification.values import Support, ValueKind, supported_by

amounts = st.decimals(min_value=0, max_value=10**9, places=2, allow_nan=False)
SPANISH_MONTHS = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
    *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
)
UNITS = [("días", "days"), ("meses", "months"), ("horas", "hours"), ("km", "km"), ("%", "%"), ("€", "€")]


def spanish(amount: Decimal) -> str:
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


@given(amounts)
def test_an_amount_is_the_same_in_spanish_and_english_form(amount: Decimal) -> None:
    claimed = extract_values(f"{spanish(amount)} €", "es")
    given_values = extract_values(f"€{amount:,.2f}", "en")
    assert claimed[0].first.amount == given_values[0].first.amount == amount
    assert supported_by(claimed[0], given_values) is Support.YES


@given(amounts, amounts)
def test_different_amounts_never_support_each_other(one: Decimal, other: Decimal) -> None:
    support = supported_by(extract_values(f"{spanish(one)} €", "es")[0], extract_values(f"€{other:,.2f}", "en"))
    assert (support is Support.YES) == (one == other)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_quantities_agree_only_in_number_and_unit(
    one: int, other: int, unit: tuple[str, str], other_unit: tuple[str, str]
) -> None:
    claimed = extract_values(f"{one} {unit[0]}", "es")[0]
    support = supported_by(claimed, extract_values(f"{other} {other_unit[1]}", "en"))
    assert (support is Support.YES) == (one == other and unit == other_unit)


@given(st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31)))
def test_a_date_is_the_same_in_every_unambiguous_form(day: dt.date) -> None:
    month = SPANISH_MONTHS[day.month - 1]
    claimed = extract_values(f"el {day.day} de {month} de {day.year}", "es")[0]
    for form in (f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%B} {day.year}", day.isoformat()):
        (value,) = extract_values(form, "en")
        assert value.first.kind is ValueKind.DATE
        assert supported_by(claimed, (value,)) is Support.YES


@given(st.dates(dt.date(1990, 1, 1), dt.date(2099, 12, 31)), st.dates(dt.date(1990, 1, 1), dt.date(2099, 12, 31)))
def test_different_dates_never_support_each_other(one: dt.date, other: dt.date) -> None:
    claimed = extract_values(one.isoformat(), "es")[0]
    assert (supported_by(claimed, extract_values(other.isoformat(), "en")) is Support.YES) == (one == other)


@given(st.from_regex(r"\A[0-9]{1,7}(?:[.,][0-9]{1,6})?\Z"))
def test_every_reading_of_a_number_keeps_its_digits(text: str) -> None:
    digits = text.replace(".", "").replace(",", "").lstrip("0")
    for language in ("es", "en", ""):
        for reading in read_literal(text, language):
            assert "".join(map(str, reading.as_tuple().digits)).lstrip("0") == digits
    assert set(read_literal(text, "es")) == set(read_literal(text, "en"))


@given(st.integers(1, 99), st.sampled_from([10**3, 10**6]))
def test_words_read_as_their_number(number: int, scale: int) -> None:
    tens = ("ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
    units = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ]
    if number < 20:
        words = units[number - 1]
    else:
        words = tens[number // 10 - 1] + (f"-{units[number % 10 - 1]}" if number % 10 else "")
    assert read_words(words) == number
    assert read_words(f"{words} {'thousand' if scale == 1000 else 'million'}") == number * scale


@given(st.text(max_size=80), st.sampled_from(["es", "en", ""]))
def test_any_text_has_values_at_their_own_places(text: str, language: str) -> None:
    values = extract_values(text, language)
    for value in values:
        assert 0 <= value.start < value.end <= len(text)
        assert value.readings
    assert all(one.end <= other.start for one, other in itertools.pairwise(values))

"""Values in Spanish and English forms are one where they mean one thing, and stay two where they may not."""

from decimal import Decimal

import pytest

from core.verification.value_forms import extract_values
from core.verification.values import Support, Value, ValueKind, supported_by


def only(text: str, language: str = "") -> Value:
    (value,) = extract_values(text, language)
    return value


def support(claimed: str, given: str, languages: tuple[str, str] = ("es", "en")) -> Support:
    return supported_by(only(claimed, languages[0]), extract_values(given, languages[1]))


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("1.500,50 €", "€1,500.50"),
        ("1.500 euros", "EUR 1,500"),
        ("2,5 millones de euros", "€2.5 million"),
        ("mil millones de dólares", "$1 billion"),
        ("12 %", "12 percent"),
        ("doce por ciento", "12%"),
        ("0,5 puntos porcentuales", "0.5 percentage points"),
        ("3 de marzo", "March 3rd"),
        ("3 de marzo de 2025", "March 3, 2025"),
        ("3 de marzo de 2025", "the 3rd of March 2025"),
        ("3 de marzo de 2025", "2025-03-03"),
        ("marzo de 2025", "3 March 2025"),
        ("2025", "3 March 2025"),
        ("agosto", "every year in August"),
        ("los viernes", "on Fridays"),
        ("22 días", "22 days"),
        ("veintidós días", "twenty-two days"),
        ("22 días hábiles", "22 working days"),
        ("15 días naturales", "15 calendar days"),
        ("un mes", "one month"),
        ("treinta días", "a 30-day notice"),
        ("a las 17:30", "5:30 pm"),
        ("las 9 de la mañana", "9 am"),
        ("doscientos cinco empleados", "two hundred and five employees"),
        ("mil quinientos", "1,500"),
        ("6½ horas", "6.5 hours"),
        ("-5 °C", "−5 °C"),
        ("180 km/h", "180 kph"),
        ("10 kilómetros", "10 km"),
        ("tercera planta", "3rd floor"),
        ("siglo XIX", "19th century"),
    ],
)
def test_a_spanish_value_is_its_english_form(spanish: str, english: str) -> None:
    assert support(spanish, english) is Support.YES


@pytest.mark.parametrize(
    ("claimed", "given"),
    [
        ("22 días", "22 months"),
        ("22 días hábiles", "22 days"),
        ("22 días hábiles", "22 calendar days"),
        ("5 %", "5"),
        ("5", "5 %"),
        ("5 €", "5 days"),
        ("5 €", "$5"),
        ("5 %", "5 percentage points"),
        ("-5 °C", "5 °C"),
        ("12 meses", "1 year"),
        ("3 de marzo de 2025", "March 3rd"),
        ("3 de marzo", "May 3rd"),
        ("un billón de euros", "€1 billion"),
        ("9:00", "9 pm"),
        ("10²", "102"),
        ("2,5 millones", "2.5"),
    ],
)
def test_another_value_unit_sign_or_qualifier_is_not_supported(claimed: str, given: str) -> None:
    assert support(claimed, given) is Support.NO


def test_one_separator_before_three_digits_keeps_both_readings() -> None:
    amounts = [reading.amount for reading in only("1.500", "").readings]
    assert sorted(amounts) == [Decimal("1.500"), Decimal(1500)]


def test_the_language_of_the_text_says_which_reading_is_its_convention() -> None:
    assert only("1.500 kg", "es").first.amount == 1500
    assert only("1.500 kg", "en").first.amount == Decimal("1.500")
    assert support("1.500 kg", "1,500 kg") is Support.YES


def test_the_same_digits_read_differently_in_two_languages_are_ambiguous() -> None:
    assert support("1.500 kg", "1.500 kg") is Support.AMBIGUOUS


def test_the_same_digits_in_one_language_are_the_same_however_they_are_read() -> None:
    assert support("1.500 kg", "1.500 kg", ("", "")) is Support.YES
    assert support("1.500 kg", "1500 kg", ("", "")) is Support.AMBIGUOUS


def test_a_numeric_date_has_two_readings_in_english_and_one_in_spanish() -> None:
    assert [reading.day for reading in only("03/04/2025", "en").readings] == [(2025, 4, 3), (2025, 3, 4)]
    assert [reading.day for reading in only("03/04/2025", "es").readings] == [(2025, 4, 3)]
    assert [reading.day for reading in only("23/04/2025", "en").readings] == [(2025, 4, 23)]


def test_a_claim_that_settles_an_ambiguous_date_is_ambiguous() -> None:
    assert support("3 de abril de 2025", "03/04/2025") is Support.AMBIGUOUS


def test_the_first_number_of_a_range_has_the_unit_of_the_second() -> None:
    assert [(int(v.first.amount), v.first.unit) for v in extract_values("de 3 a 5 días", "es")] == [
        (3, "day"),
        (5, "day"),
    ]
    assert [v.first.kind for v in extract_values("between 2 and 4 %", "en")] == [ValueKind.PERCENT] * 2


def test_both_days_of_a_range_of_dates_have_their_month() -> None:
    assert [v.first.day for v in extract_values("del 3 al 5 de abril", "es")] == [(0, 4, 3), (0, 4, 5)]
    assert [v.first.day for v in extract_values("April 3-5, 2025", "en")] == [(2025, 4, 3), (2025, 4, 5)]


@pytest.mark.parametrize("code", ["ERR-4012", "RH-22B", "v2.3.1", "ISO 9001", "Q1", "config.yaml", "ana@corp.example"])
def test_codes_addresses_and_file_names_are_codes(code: str) -> None:
    assert [(value.first.kind, value.first.code) for value in extract_values(f"Vea {code} antes.", "es")] == [
        (ValueKind.CODE, code)
    ]


@pytest.mark.parametrize("text", ["one of them", "una persona", "you may go", "march on", "once upon a time"])
def test_articles_pronouns_and_verbs_are_no_values(text: str) -> None:
    assert extract_values(text, "en") == ()


def test_units_stuck_to_their_number_are_read() -> None:
    found = [(int(v.first.amount), v.first.unit) for v in extract_values("5km, 20h y $5m; 5 m de cable, 3M€", "es")]
    assert found == [(5, "km"), (20, "hour"), (5_000_000, "USD"), (5, "m"), (3_000_000, "EUR")]

from __future__ import annotations

import datetime as dt

import pytest

from bot.words import Words
from bot.words.words import NOTES_AFTER, NOTES_BEFORE

ES, EN = Words("es-ES"), Words("en-US")


def test_dates_numbers_and_lists_are_written_as_the_language_does() -> None:
    day, moment = dt.date(2026, 3, 4), dt.datetime(2026, 3, 4, 9, 5, tzinfo=dt.UTC)
    assert (ES.date(day), EN.date(day)) == ("4 mar 2026", "Mar 4, 2026")
    assert (ES.moment(moment), EN.moment(moment)) == ("4 mar 2026, 9:05 UTC", "Mar 4, 2026, 9:05 UTC")
    assert (ES.number(12345.5), EN.number(12345.5)) == ("12.345,5", "12,345.5")
    assert (ES.percent(0.834), EN.percent(0.834)) == ("83\u00a0%", "83%")
    assert (ES.join(["a", "b", "c"]), EN.join(["a", "b", "c"])) == ("a, b y c", "a, b, and c")
    assert (ES.quoted("a"), EN.quoted("a")) == ("«a»", "“a”")


@pytest.mark.parametrize(("n", "text"), [(0, "0 documentos"), (1, "1 documento"), (2, "2 documentos")])
def test_what_is_counted_agrees_with_its_number(n: int, text: str) -> None:
    assert ES.documents(n) == text


def test_an_inference_from_one_source_is_worded_apart() -> None:
    assert EN.inference([1]) == "Inferred from [1]; the source does not say it in these words."
    assert EN.inference([1, 2]) == "Inferred from [1] and [2]; no single source says it."


@pytest.mark.parametrize("key", [*NOTES_BEFORE, *NOTES_AFTER])
def test_every_note_has_its_sentence(key: str) -> None:
    assert ES.note(key) != EN.note(key)


def test_a_note_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(LookupError):
        EN.note("nonsense")


def test_braces_in_a_value_are_just_text() -> None:
    assert EN.quoted("{0} {n} {x.__class__}") == "“{0} {n} {x.__class__}”"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 segundo"), (59, "59 segundos"), (61, "1 minuto"), (600, "10 minutos")]
)
def test_a_time_span_is_said_in_the_unit_that_fits(seconds: float, text: str) -> None:
    assert ES.duration(seconds) == text

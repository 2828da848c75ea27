from __future__ import annotations

import pytest

from core.index.analysis import terms
from core.index.lexical import TermStatistics
from core.retrieval.coverage import question_terms, telling_words, without_amounts, without_asking


def covered(question: str, passage: str, language: str = "en") -> float:
    frequencies = dict.fromkeys(terms(question, language), 1)
    return question_terms(TermStatistics(language, frequencies, 100)).coverage(terms(passage, language))


def test_all_telling_words_found_is_one_and_none_is_zero() -> None:
    assert covered("How many holidays do I have?", "Your holidays are counted.") == pytest.approx(1)
    assert covered("How many holidays do I have?", "Parking costs money. I do have many.") == 0


def test_a_rare_word_weighs_more_than_a_frequent_one() -> None:
    statistics = TermStatistics("en", {"parking": 80, "marmalad": 1}, 100)
    wanted = question_terms(statistics)
    assert wanted.coverage(["marmalad"]) > 0.9 > wanted.coverage(["parking"])


def test_a_word_that_no_visible_text_has_counts_against_the_passage() -> None:
    statistics = TermStatistics("en", {"life": 2, "mar": 0}, 100)
    assert question_terms(statistics).coverage(["life"]) < 0.5


def test_a_question_of_asking_words_alone_still_has_terms() -> None:
    assert covered("Who are you?", "Who are you?") == pytest.approx(1)


def test_accents_do_not_matter() -> None:
    assert covered("¿Qué política de vacaciones hay?", "la POLITICA de vacación", "es") == pytest.approx(1)


@pytest.mark.parametrize(
    ("question", "language", "telling"),
    [
        ("How long is probation in Dublin?", "en", "probation Dublin"),
        ("How quickly must somebody respond to a SEV2?", "en", "respond SEV2"),
        ("¿Cuánto tiempo dura la prueba?", "es", "dura prueba"),
        ("Is the long form signed?", "en", "long form signed"),
        ("Who?", "en", "Who?"),
    ],
)
def test_what_only_asks_is_not_told(question: str, language: str, telling: str) -> None:
    assert telling_words(question, language) == telling


def test_codes_stay_whole_without_the_words_that_ask() -> None:
    assert without_asking("What does ERR-4012 mean in WMS?", "en").split() == ["ERR-4012", "mean", "WMS?"]
    assert "plan-a-in" in without_asking("what is plan-a-in", "en")


def test_a_word_that_may_be_a_slip_counts_half() -> None:
    statistics = TermStatistics("es", {"viag": 0, "hotel": 3}, 10)
    wanted = question_terms(statistics, {"viage": "viaje"})
    right, slip, none = (wanted.coverage(found) for found in (["hotel", "viag"], ["hotel", "viaj"], ["hotel"]))
    assert none < slip < right == pytest.approx(1)
    assert slip == pytest.approx((none + right) / 2)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Who signs a purchase of 4,500 euros?", "Who signs a purchase of ?"),
        ("¿Quién firma una compra de €9.000?", "¿Quién firma una compra de ?"),
        ("row 31 of 2026", "row 31 of 2026"),
        ("35 €", "35 €"),
    ],
)
def test_an_amount_that_no_table_holds_is_not_asked_of_a_passage(question: str, left: str) -> None:
    assert " ".join(without_amounts(question).split()) == left


@pytest.mark.parametrize(
    ("question", "language"),
    [("¿Cuántos días daba la política antigua?", "es"), ("How many days did the old policy give?", "en")],
)
def test_that_a_version_is_old_stands_in_no_version(question: str, language: str) -> None:
    assert not {"antigua", "old"} & set(telling_words(question, language).split())

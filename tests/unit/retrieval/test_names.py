from __future__ import annotations

import pytest

from core.index.analysis import PLAIN, terms
from core.retrieval.names import missing, names_of, weighed_names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("¿Cuánto cuesta el aparcamiento de Getafe?", {"getafe"}),
        ("How long is probation in Dublin?", {"dublin"}),
        ("What does ERR-4012 mean?", {"err", "4012"}),
        ("límite de 2026 en Lisboa", {"2026", "lisboa"}),
        ("SLA of the portal", {"sla"}),
        ("Hay teletrabajo. Cuánto?", set()),
        ("¿Puedo? Quizá", set()),
        ("I think I may", set()),
    ],
)
def test_a_name_is_a_capital_inside_a_sentence_or_a_word_with_a_digit(question: str, names: set[str]) -> None:
    assert names_of(question) == names


def missed(question: str, text: str, around: str = "", typed: str = "") -> float:
    return missing(weighed_names(question, typed), terms(text, PLAIN), terms(around, PLAIN))


def test_a_passage_about_another_town_misses_the_name() -> None:
    asked = "¿Cuánto cuesta aparcar en Getafe?"
    assert missed(asked, "En Getafe cuesta 30 euros.") == 0
    assert missed(asked, "En Ribarroja cuesta 35 euros.") == 1


def test_accents_and_a_plural_are_no_other_name_but_another_number_is() -> None:
    assert missed("hotel en Dublín", "hotels in Dublin") == 0
    assert missed("Lock my MacBook", "Lock MacBooks with a key") == 0
    assert missed("Error WMS-77", "WMS-771") == 0.5


def test_a_question_without_names_misses_nothing() -> None:
    assert missed("how much is a pallet", "") == 0


def test_a_town_elsewhere_in_the_document_is_missed_by_half_and_a_number_in_full() -> None:
    assert missed("parking in Getafe", "It costs 30 euros.", around="Getafe and Maia") == 0.5
    assert missed("row 31", "It costs 30 euros.", around="Row 31 is free.") == 1


@pytest.mark.parametrize("amount", ["10,000 euros", "€10,000", "4.500 €", "7 %", "$5"])
def test_an_amount_of_money_is_no_name(amount: str) -> None:
    assert names_of(f"Who signs a purchase of {amount} in Maia?") == {"maia"}


def test_a_capital_that_only_english_writes_is_no_name() -> None:
    assert names_of("What does the Spanish policy say of a Monday in May in Maia?") == {"maia"}


def test_a_follow_up_is_asked_less_for_what_was_named_before_and_not_at_all_for_what_it_replaces() -> None:
    before = "¿Cuántos días tengo en Valencia?"
    assert missed(f"{before} ¿Y cuántos puedo pasar?", "Se pasan 5 días.", typed="¿Y cuántos puedo pasar?") == 0.5
    assert missed(f"{before} ¿Y en Porto?", "En Porto son 24.", typed="¿Y en Porto?") == 0
    assert missed(f"{before} ¿Y en Porto?", "En Valencia son 25.", typed="¿Y en Porto?") == 0.5

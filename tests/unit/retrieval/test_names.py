from __future__ import annotations

import pytest

from core.index.analysis import PLAIN, terms
from core.retrieval.names import missing, names_of


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


def test_a_passage_about_another_town_misses_the_name() -> None:
    names = names_of("¿Cuánto cuesta aparcar en Getafe?")
    assert missing(names, terms("En Getafe cuesta 30 euros.", PLAIN)) == 0
    assert missing(names, terms("En Ribarroja cuesta 35 euros.", PLAIN)) == 1


def test_accents_and_a_plural_are_no_other_name_but_another_number_is() -> None:
    assert missing(names_of("hotel en Dublín"), terms("hotels in Dublin", PLAIN)) == 0
    assert missing(names_of("Lock my MacBook"), terms("Lock MacBooks with a key", PLAIN)) == 0
    assert missing(names_of("WMS-77"), terms("WMS-771", PLAIN)) == 0.5


def test_a_question_without_names_misses_nothing() -> None:
    assert missing(names_of("how much is a pallet"), []) == 0

from __future__ import annotations

import pytest

from core.generation.answer_kinds import AnswerKind, Asked
from core.generation.ranges import in_named_range

NUMBER, TIME, NAME, COMMAND = AnswerKind


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("¿Cuántos días tengo?", {NUMBER}),
        ("How long is probation?", {NUMBER}),
        ("¿Qué día se paga la nómina?", {TIME}),
        ("What is the standard cut-off time in Maia?", set()),
        ("When does it close?", {TIME}),
        ("¿Quién lo aprueba?", {NAME}),
        ("Which city is it in?", {NAME}),
        ("¿Qué comando uso?", {COMMAND}),
        ("What does it mean?", set()),
        ("What is the command? And how many labels may be left?", {NUMBER}),
    ],
)
def test_a_question_asks_for_kinds_of_things(question: str, kinds: set[AnswerKind]) -> None:
    assert Asked.by(question).kinds == kinds


def test_what_the_question_brings_itself_is_no_answer() -> None:
    asked = Asked.by("Who is Ana, and how many days are 25 hours?")
    assert asked.offered("Yesterday Ana had 25.") == frozenset()
    assert asked.offered("It was Bea who had three.") == {NUMBER, NAME}


@pytest.mark.parametrize(
    ("question", "cell", "holds"),
    [
        ("a purchase of 10,000 euros", "From €3,000.01 to €15,000", True),
        ("a purchase of 10,000 euros", "From €15,000.01 to €60,000", False),
        ("una compra de 10.000 €", "De 3.000,01 a 15.000 €", True),
        ("una compra de 80.000 €", "Más de 60.000 €", True),
        ("a la cámara a −10 °C", "De −18 a −5 °C", True),
        ("a la cámara a −10 °C", "De 0 a 5 °C", False),
        ("for 3 days", "Up to 5 days", True),
        ("for 3 days", "35", False),
        ("no figure", "Up to 5 days", False),
    ],
)
def test_a_figure_lies_in_a_named_range(question: str, cell: str, holds: bool) -> None:
    assert in_named_range(question, cell) is holds

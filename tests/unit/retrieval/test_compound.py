from __future__ import annotations

from dataclasses import replace

import pytest

from core.retrieval.compound import FoundPart, Part, answerable_parts, parts_of
from core.retrieval.search import Retrieval
from tests.unit.retrieval.passages import passage


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "¿A cuánto se paga el kilómetro y cuántos días tengo para subir los recibos?",
            ["¿A cuánto se paga el kilómetro?", "cuántos días tengo para subir los recibos?"],
        ),
        (
            "¿Cuál es el límite de hotel en Dublín y también cuánto pagan de dietas en Oporto?",
            ["¿Cuál es el límite de hotel en Dublín?", "cuánto pagan de dietas en Oporto?"],
        ),
        (
            "Who is the data protection officer, and how fast must I report a breach?",
            ["Who is the data protection officer?", "how fast must I report a breach?"],
        ),
        ("Can I work from home and can I expense a chair?", ["Can I work from home?", "can I expense a chair?"]),
        ("¿Quién firma los pedidos? ¿Dónde se archivan?", ["¿Quién firma los pedidos?", "¿Dónde se archivan?"]),
    ],
)
def test_two_questions_in_one_are_two(question: str, parts: list[str]) -> None:
    assert [part.said for part in parts_of(question)] == parts


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Who approves travel and how long does it take?", "Who approves travel? how long does it take?"),
        (
            "How many days do I have in Dublin, and who approves them?",
            "How many days do I have in Dublin? who approves them?",
        ),
        ("¿Qué cubre el seguro médico y desde cuándo?", "¿Qué cubre el seguro médico? desde cuándo?"),
    ],
)
def test_a_part_that_leans_on_the_first_takes_it_along(question: str, whole: str) -> None:
    assert parts_of(question)[1].whole == whole


@pytest.mark.parametrize(
    "question",
    [
        "Which procedures and policies are there?",
        "¿Qué procedimientos y políticas hay?",
        "What is the hotel limit in Dublin and Madrid?",
        "How and when do I request annual leave?",
        "¿Cómo y cuándo pido vacaciones?",
        "What happens if a parcel is damaged and the driver has left?",
        "¿Qué pasa si el camión llega tarde y el muelle está cerrado?",
        "¿Qué documentos hacen falta y que firme quién?",
        "Who knows what I earn and why?",
        "Is there life on Mars?",
        "vacaciones y permisos",
        "",
        "???",
        "Who signs? Who pays? Who checks? Who archives?",
        "I read that who signs late pays, and what I want is a refund",
    ],
)
def test_what_asks_one_thing_stays_whole(question: str) -> None:
    assert parts_of(question) == ()


def found(said: str, confidence: float, *documents: str) -> FoundPart:
    kept = tuple(replace(passage(), document_id=name, chunk_id=f"{name}#{said}") for name in documents)
    return FoundPart(Part(said, said), Retrieval(said, "en", 1, 1, kept, kept, (), confidence, {}))


def test_a_part_that_says_little_alone_is_taken_from_the_document_of_one_that_is_likely() -> None:
    kept = answerable_parts([found("a", 0.9, "travel", "other"), found("b", 0.2, "leave", "travel")], 0.3, 0.1)
    assert [(each.part.said, [p.document_id for p in each.retrieval.kept]) for each in kept] == [
        ("a", ["travel", "other"]),
        ("b", ["travel"]),
    ]


@pytest.mark.parametrize(
    "other", [found("b", 0.2, "leave", "other"), found("b", 0.05, "travel")], ids=["elsewhere", "unlikely"]
)
def test_a_part_that_is_unlikely_or_stands_elsewhere_is_left_out(other: FoundPart) -> None:
    assert [each.part.said for each in answerable_parts([found("a", 0.9, "travel", "other"), other], 0.3, 0.1)] == ["a"]


def test_without_one_likely_part_there_is_none() -> None:
    assert answerable_parts([found("a", 0.2, "travel"), found("b", 0.2, "travel")], 0.3, 0.1) == ()

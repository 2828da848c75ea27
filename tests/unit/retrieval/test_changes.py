from __future__ import annotations

import datetime as dt

import pytest

from core.domain.document import Block, BlockKind
from core.retrieval.changes import ChangeQuestion, change_question, changes_between, day_of, title_share
from core.text.canonical import canonicalise

TODAY = dt.date(2026, 11, 29)


@pytest.mark.parametrize(
    ("question", "language", "title", "since"),
    [
        ("What changed in the holiday policy since 1 March 2026?", "en", "the holiday policy", "2026-03-01"),
        ("What has changed in the travel policy since last month?", "en", "the travel policy", "2026-10-01"),
        ("Since 2025, what changed in the Travel policy?", "en", "the Travel policy", "2025-01-01"),
        ("changes to the travel policy from 3 weeks ago", "en", "the travel policy", "2026-11-08"),
        ("¿Qué ha cambiado en la política de vacaciones desde marzo?", "es", "la política de vacaciones", "2026-03-01"),
        ("que ha cambiado en el manual desde ayer", "es", "el manual", "2026-11-28"),
        ("¿Qué cambió en el manual de viajes desde hace 3 meses?", "es", "el manual de viajes", "2026-08-28"),
        ("Cambios en el manual desde el 1 de enero de 2026", "es", "el manual", "2026-01-01"),
    ],
)
def test_what_changed_since_a_day_is_recognised(question: str, language: str, title: str, since: str) -> None:
    assert change_question(question, TODAY, language) == ChangeQuestion(title, dt.date.fromisoformat(since))


@pytest.mark.parametrize(
    "question",
    [
        "What changed in the travel policy?",
        "¿Qué ha cambiado en el manual?",
        "What changed in Parking since whenever?",
        "What changed in the policy since 03/04/2026?",
        "¿Qué ha cambiado en el manual desde el 31 de febrero?",
    ],
)
def test_without_a_day_that_can_be_read_it_is_a_question_of_changes_all_the_same(question: str) -> None:
    asked = change_question(question, TODAY, "es" if "¿" in question else "en")
    assert asked is not None
    assert asked.since is None


@pytest.mark.parametrize(
    "question",
    ["How do I change my password?", "¿Cómo cambio de turno?", "Who changed the lock in Porto?", "changes", ""],
)
def test_other_questions_are_left_alone(question: str) -> None:
    assert change_question(question, TODAY, "en") is None


@pytest.mark.parametrize(
    ("said", "language", "day"),
    [
        ("marzo", "es", "2026-03-01"),
        ("diciembre", "es", "2025-12-01"),
        ("last year", "en", "2025-01-01"),
        ("la semana pasada", "es", "2026-11-16"),
        ("a month ago", "en", "2026-10-28"),
        ("hace un año", "es", "2025-11-28"),
        ("2026-05-17", "en", "2026-05-17"),
        ("03/04/2026", "es", "2026-04-03"),
    ],
)
def test_days_are_read_in_both_languages(said: str, language: str, day: str) -> None:
    assert day_of(said, TODAY, language) == dt.date.fromisoformat(day)


def test_a_title_is_known_by_its_telling_words() -> None:
    assert title_share("la política de vacaciones", "Política de vacaciones 2026") == 1.0
    assert title_share("the travel policy", "Parking") == 0.0
    assert title_share("the", "The") == 0.0


def text(*paragraphs: str) -> list[Block]:
    return [Block(BlockKind.HEADING, "Policy", level=1), *(Block(BlockKind.PARAGRAPH, p) for p in paragraphs)]


def test_only_the_sentences_that_differ_are_changes() -> None:
    before = canonicalise(text("Everybody has 23 days. Ask your manager.", "Parking is free.", "Old rule stays out."))
    after = canonicalise(text("Everybody has 25 days. Ask your manager.", "Parking  is free.", "Lunch is paid."))
    told = [
        (c.before and before.text[slice(*c.before)], c.after and after.text[slice(*c.after)])
        for c in changes_between(before, after)
    ]
    assert told == [
        ("Everybody has 23 days.", "Everybody has 25 days."),
        ("Old rule stays out.", "Lunch is paid."),
    ]


def test_what_only_moved_did_not_change() -> None:
    before, after = (
        canonicalise(text("One is first.", "Two is next.")),
        canonicalise(text("Two is next.", "One is first.")),
    )
    assert changes_between(before, after) == []

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.retrieval.followup import is_follow_up, whole_question

BEFORE = "¿Cuál es el límite de hotel en Dublín?"


@pytest.mark.parametrize(
    "follow_up",
    ["¿Y en Madrid?", "y cuántos puedo pasar al año siguiente?", "And in Porto?", "What about apprentices?"],
)
def test_a_follow_up_takes_the_topic_along(follow_up: str) -> None:
    assert whole_question(follow_up, BEFORE) == f"{BEFORE} {follow_up}"


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuántos días de vacaciones tengo al año en Valencia?",
        "How long is probation in Dublin?",
        "¿Qué significa el código WMS-77?",
        "Is there life on Mars?",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(question: str) -> None:
    assert whole_question(question, BEFORE) == question


def test_the_first_question_of_a_thread_stays_as_it_is() -> None:
    assert whole_question("¿Y en Madrid?", None) == "¿Y en Madrid?"


LISTED = [json.loads(line) for line in Path(__file__).with_name("follow_ups.jsonl").read_text("utf-8").splitlines()]
CORPUS = Path(__file__).parents[2] / "corpus" / "questions.jsonl"


def test_the_rule_finds_nearly_all_of_the_listed_follow_ups() -> None:
    leaning = [each for each in LISTED if each["leans"]]
    found = [each for each in leaning if is_follow_up(each["question"])]
    assert len(leaning) == 30
    assert len(found) >= 28


@pytest.mark.parametrize("listed", [each for each in LISTED if not each["leans"]], ids=lambda each: each["question"])
def test_the_rule_leaves_a_new_subject_alone(listed: dict[str, str]) -> None:
    assert whole_question(listed["question"], listed["previous"]) == listed["question"]


def test_the_rule_tells_the_follow_ups_of_the_company_from_its_other_questions() -> None:
    questions = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    assert [q["id"] for q in questions if is_follow_up(q["question"])] == [
        q["id"] for q in questions if q.get("previous")
    ]

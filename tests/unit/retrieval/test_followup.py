from __future__ import annotations

import pytest

from core.retrieval.followup import whole_question

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

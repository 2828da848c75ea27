from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.store.asked import AskedStore
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.edited_questions import EditedQuestion, EditedQuestionStore
from core.store.events import EventStore
from core.store.forgetting import Forgetting

EDITED = EditedQuestion("C1", "1.1", "1.0", "2.0", "U1", "and in Dublin?")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_database(f"sqlite:///{tmp_path}/edited.db")


def test_the_newest_wording_is_kept_in_whatever_order_they_come(engine: Engine) -> None:
    store = EditedQuestionStore(engine)
    assert store.keep("t", EDITED)
    assert not store.keep("t", replace(EDITED, edition="1.9", text="older"))
    assert store.find("t", "C1", "1.1") == EDITED
    assert store.keep("t", replace(EDITED, edition="2.1", text="newer"))
    found = store.find("t", "C1", "1.1")
    assert found is not None
    assert found.text == "newer"
    assert store.find("other", "C1", "1.1") is None


def test_a_wording_that_came_after_the_answer_stays(engine: Engine) -> None:
    store = EditedQuestionStore(engine)
    store.keep("t", replace(EDITED, edition="2.1"))
    store.drop("t", "C1", "1.1", up_to="2.0")
    assert store.find("t", "C1", "1.1") is not None
    store.drop("t", "C1", "1.1")
    assert store.find("t", "C1", "1.1") is None


def test_a_person_who_is_forgotten_leaves_no_wording(engine: Engine) -> None:
    store = EditedQuestionStore(engine, clock=lambda: 100.0)
    store.keep("t", EDITED)
    store.keep("t", replace(EDITED, message="1.2", author="U2"))
    Forgetting(engine).forget("t", "U1")
    assert store.find("t", "C1", "1.1") is None
    assert store.find("t", "C1", "1.2") is not None
    Forgetting(engine).expire("t", before=101.0)
    assert store.find("t", "C1", "1.2") is None


def test_the_events_about_a_message_are_its_own_and_those_of_its_editions(engine: Engine) -> None:
    events = EventStore(engine)
    for number, subject in enumerate(("C1:1.1", "C1:1.1:2.0:again", "C1:1.10", "C2:1.1", None)):
        events.claim(team_id="T", event_id=f"E{number}", subject=subject, kind="mention", payload={})
    found = AskedStore(engine).about("T", "C1:1.1")
    assert [asked.event_id for asked in found] == [1, 2]
    assert all(asked.is_open for asked in found)
    events.finish(1)
    assert [asked.is_open for asked in AskedStore(engine).about("T", "C1:1.1")] == [False, True]
    assert AskedStore(engine).about("other", "C1:1.1") == []


def test_a_question_is_taken_back_from_its_authors_memory_alone_also_where_it_was_made_whole(engine: Engine) -> None:
    memory = ConversationStore(engine)
    memory.add("t", "T:C1:1.0", "ana", "How long is leave? and in Dublin?", "run")
    memory.add("t", "T:C1:1.0", "ana", "Something else", "run")
    memory.add("t", "T:C1:1.0", "ben", "and in Dublin?", "run")
    assert memory.take_back("t", "T:C1:1.0", "ana", "and in Dublin?") == 1
    assert [turn.question for turn in memory.last("t", "T:C1:1.0", "ana")] == ["Something else"]
    assert memory.is_known("t", "T:C1:1.0")
    assert not memory.is_known("t", "T:C1:9.0")

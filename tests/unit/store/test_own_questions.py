from __future__ import annotations

import pytest
from sqlalchemy import Engine

from core.store.conversations import ANONYMOUS, ConversationStore

ANA, BEN = "ana@x.com", "ben@x.com"


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def store(engine: Engine) -> ConversationStore:
    return ConversationStore(engine, Clock())


def test_the_newest_come_first_each_once_over_all_conversations(store: ConversationStore) -> None:
    for conversation, question in (("c1", "one?"), ("c2", "two?"), ("c3", "one?"), ("c1", "three?")):
        store.add("t", conversation, ANA, question, "run")
    found = store.recent("t", ANA, since=0, limit=5)
    assert [asked.question for asked in found] == ["three?", "one?", "two?"]
    assert [asked.question for asked in store.recent("t", ANA, since=0, limit=2)] == ["three?", "one?"]
    assert found[1].asked_at == 1_003.0


def test_what_is_older_than_it_is_kept_is_not_listed(store: ConversationStore) -> None:
    for question in ("old?", "new?"):
        store.add("t", "c", ANA, question, "run")
    assert [asked.question for asked in store.recent("t", ANA, since=1_001.5, limit=5)] == ["new?"]


def test_nobody_lists_or_opens_the_questions_of_others(store: ConversationStore) -> None:
    store.add("t", "c", ANA, "mine?", "run")
    store.add("t", "c", ANONYMOUS, "whose?", "run")
    (mine,) = store.recent("t", ANA, since=0, limit=5)
    assert store.own("t", ANA, mine.id) == "mine?"
    assert store.recent("t", BEN, since=0, limit=5) == []
    assert store.own("t", BEN, mine.id) is None
    assert store.own("other", ANA, mine.id) is None
    for nobody in ("", ANONYMOUS):
        assert store.recent("t", nobody, since=0, limit=5) == []
        assert store.own("t", nobody, mine.id + 1) is None

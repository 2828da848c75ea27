"""A message's life: what may follow what, and that SQL keeps to it whatever order processes act and die in."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import create_engine, inspect, select, text

from core.domain.message_life import FOLLOWING, Stage, StageError, preceding, require_may_follow
from core.store.database import open_database
from core.store.events import EventStore
from core.store.schema import events

ENDS = {Stage.FINISHED, Stage.REPLACED, Stage.FAILED}


def test_nothing_follows_an_end() -> None:
    assert {stage for stage in Stage if stage.is_end} == ENDS
    for end in ENDS:
        for after in set(Stage) - {end}:
            with pytest.raises(StageError):
                require_may_follow(end, after)


def test_every_stage_leads_to_an_end() -> None:
    reached = set(ENDS)
    for _ in Stage:
        reached |= {stage for stage in Stage if FOLLOWING[stage] & reached}
    assert reached == set(Stage)


def test_only_what_was_streamed_can_be_replaced() -> None:
    assert preceding(Stage.REPLACED) == {Stage.STREAMING, Stage.REPLACED}


def test_after_a_claim_was_shown_no_run_begins_again() -> None:
    assert FOLLOWING[Stage.STREAMING] == ENDS


def test_a_refused_step_says_what_it_was() -> None:
    with pytest.raises(StageError, match="replaced cannot become streaming"):
        require_may_follow(Stage.REPLACED, Stage.STREAMING)


class MessageLives(RuleBasedStateMachine):
    """Workers take an event up, note stages, die, are given it again, and end it; the store against a model."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self._now = 1_000.0
        self._engine = open_database(f"sqlite:///{Path(self._folder.name) / 'events.db'}")
        self._store = EventStore(self._engine, lambda: self._now)
        self.history = [Stage.CLAIMED]
        self.is_open = True
        self.event_id = 0
        self.attempts = 0

    def teardown(self) -> None:
        self._engine.dispose()
        self._folder.cleanup()

    @initialize()
    def claim(self) -> None:
        assert self._store.claim(team_id="T1", event_id="Ev1", subject="C1:1", kind="mention", payload={"text": "how?"})

    @property
    def stage(self) -> Stage:
        return self.history[-1]

    @rule()
    def the_worker_dies_and_another_takes_it_up(self) -> None:
        self._now += 100
        taken = self._store.lease("worker", 60)
        assert len(taken) == int(self.is_open)
        for event in taken:
            self.attempts += 1
            if self.stage is Stage.CLAIMED:
                self.history.append(Stage.ACKNOWLEDGED)
            assert (event.stage, event.attempts) == (self.stage, self.attempts)
            self.event_id = event.id

    @precondition(lambda self: self.event_id)
    @rule(stage=st.sampled_from(sorted(Stage)))
    def a_stage_is_noted(self, stage: Stage) -> None:
        is_allowed = stage in FOLLOWING[self.stage] or stage is self.stage
        assert self._store.note_delivered(self.event_id, {"parts": [stage.value]}, stage) == is_allowed
        if is_allowed and stage is not self.stage:
            self.history.append(stage)

    @precondition(lambda self: self.event_id and self.is_open)
    @rule(state=st.sampled_from(["done", "failed"]))
    def the_work_ends(self, state: str) -> None:
        self._store.finish(self.event_id, state)
        self.is_open = False
        if not self.stage.is_end:
            self.history.append(Stage.FAILED if state == "failed" else Stage.FINISHED)

    @invariant()
    def sql_stands_where_the_model_stands(self) -> None:
        with self._engine.connect() as connection:
            row = connection.execute(select(events.c.stage, events.c.state, events.c.payload)).one_or_none()
        if row is not None:
            assert row.stage == self.stage
            assert (row.state == "open") == self.is_open
            assert self.is_open or row.payload is None

    @invariant()
    def no_message_ends_twice(self) -> None:
        assert sum(stage in ENDS for stage in self.history) <= 1
        assert not any(stage in ENDS for stage in self.history[:-1])


TestMessageLives = MessageLives.TestCase
TestMessageLives.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)


def test_a_database_of_an_older_version_gets_the_column_and_goes_on(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'events.db'}"
    store = EventStore(open_database(url))
    store.claim(team_id="T1", event_id="Ev1", subject=None, kind="mention", payload={})
    older = create_engine(url)
    with older.begin() as connection:
        connection.execute(text("ALTER TABLE events DROP COLUMN stage"))
    engine = open_database(url)
    assert "stage" in {column["name"] for column in inspect(engine).get_columns("events")}
    (event,) = EventStore(engine).lease("worker", 60)
    assert event.stage is Stage.ACKNOWLEDGED


def test_words_kept_for_later_are_forgotten_at_the_end(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'events.db'}")
    store = EventStore(engine)
    store.claim(team_id="T1", event_id="Ev1", subject=None, kind="mention", payload={"text": "how many?"})
    (event,) = store.lease("worker", 60)
    store.note_delivered(event.id, {"parts": ["1.0"], "addition": {"whole": "how many holidays?"}})
    store.finish(event.id)
    with engine.connect() as connection:
        row = connection.execute(select(events.c.delivered, events.c.payload)).one()
    assert tuple(row) == ({"parts": ["1.0"]}, None)


def test_a_wish_to_stop_is_kept_for_whoever_works_on_the_event(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'events.db'}"
    here, there = EventStore(open_database(url)), EventStore(open_database(url))
    for number in range(3):
        here.claim(team_id="T1", event_id=f"Ev{number}", subject=None, kind="mention", payload={"n": number})
    first, second, third = here.open_of("T1")
    assert here.open_of("T2") == []
    there.ask_to_stop([first.id, third.id], "U1")
    there.ask_to_stop([first.id], "U1")
    assert here.to_stop([first.id, second.id]) == {first.id}

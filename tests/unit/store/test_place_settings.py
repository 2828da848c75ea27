from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.settings import Mode, Settings
from core.store.database import open_database
from core.store.place_settings import (
    CACHE_SECONDS,
    AnswerLanguage,
    AnswersIn,
    PlaceSettings,
    PlaceSettingsStore,
)

WANTED = PlaceSettings(
    sources=("wiki", "drive"),
    mode=Mode.STRICT,
    answers_in=AnswersIn.PRIVATE,
    follow_ups=True,
    language=AnswerLanguage.SPANISH,
)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_database(f"sqlite:///{tmp_path}/places.db")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(engine: Engine, clock: Clock) -> PlaceSettingsStore:
    return PlaceSettingsStore(engine, PlaceSettings(mode=Mode.OPEN), clock)


def test_a_place_of_which_nothing_was_set_goes_by_the_defaults(store: PlaceSettingsStore) -> None:
    assert store.of("t", "C1") == PlaceSettings(mode=Mode.OPEN)
    assert store.of("t", "C1").set_at is None


def test_what_is_set_holds_in_that_place_of_that_tenant_alone(
    store: PlaceSettingsStore, engine: Engine, clock: Clock
) -> None:
    store.of("t", "C1")
    said = store.put("t", "C1", WANTED, by="U1")
    assert store.of("t", "C1") == said == PlaceSettingsStore(engine).of("t", "C1")
    assert (said.sources, said.set_by, said.set_at) == (("wiki", "drive"), "U1", clock.now)
    assert store.of("t", "C2").mode is Mode.OPEN
    assert store.of("other", "C1").mode is Mode.OPEN


def test_setting_again_replaces_and_resetting_goes_back(store: PlaceSettingsStore) -> None:
    store.put("t", "C1", WANTED, by="U1")
    store.put("t", "C1", PlaceSettings(sources=("wiki", "wiki")), by="U2")
    assert (store.of("t", "C1").sources, store.of("t", "C1").set_by) == (("wiki",), "U2")
    store.reset("t", "C1")
    assert store.of("t", "C1") == PlaceSettings(mode=Mode.OPEN)


def test_what_another_process_sets_is_seen_when_the_memory_ends(
    store: PlaceSettingsStore, engine: Engine, clock: Clock
) -> None:
    store.of("t", "C1")
    PlaceSettingsStore(engine, clock=clock).put("t", "C1", WANTED, by="U1")
    assert store.remembered("t", "C1") is not None
    assert not store.of("t", "C1").follow_ups
    clock.now += CACHE_SECONDS
    assert store.remembered("t", "C1") is None
    assert store.of("t", "C1").follow_ups


def test_the_defaults_are_those_of_the_settings() -> None:
    settings = Settings(_env_file=None, mode=Mode.STRICT, follow_ups=True)
    defaults = PlaceSettings.defaults(settings)
    assert (defaults.mode, defaults.follow_ups, defaults.answer_language) == (Mode.STRICT, True, "")
    assert WANTED.answer_language == "es"

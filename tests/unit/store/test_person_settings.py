from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from core.store.forgetting import Forgetting
from core.store.person_settings import CACHE_SECONDS, PersonSettingsStore


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(engine: Engine, clock: Clock) -> PersonSettingsStore:
    return PersonSettingsStore(engine, clock)


def test_who_chose_nothing_has_no_language(store: PersonSettingsStore) -> None:
    assert store.language("t", "U1") == ""


def test_a_choice_is_that_persons_in_that_tenant_alone_and_can_be_changed_and_taken_back(
    store: PersonSettingsStore,
) -> None:
    store.choose("t", "U1", "es", "ana@x.com")
    store.choose("t", "U2", "en")
    store.choose("other", "U1", "en")
    assert [store.language("t", "U1"), store.language("t", "U2"), store.language("other", "U1")] == ["es", "en", "en"]
    store.choose("t", "U1", "en")
    assert store.language("t", "U1") == "en"
    store.choose("t", "U1", "")
    assert store.language("t", "U1") == ""
    assert store.language("other", "U1") == "en"


def test_another_process_learns_of_a_choice_within_the_time_that_it_is_remembered(
    store: PersonSettingsStore, connect: Callable[[], Engine], clock: Clock
) -> None:
    assert store.language("t", "U1") == ""
    PersonSettingsStore(connect(), clock).choose("t", "U1", "es")
    assert store.remembers("t")
    assert store.language("t", "U1") == ""
    clock.now += CACHE_SECONDS
    assert not store.remembers("t")
    assert store.language("t", "U1") == "es"


@pytest.mark.parametrize("name", ["U1", "ANA@x.com"])
def test_a_choice_is_forgotten_with_its_person_by_either_name(
    store: PersonSettingsStore, engine: Engine, name: str
) -> None:
    store.choose("t", "U1", "es", "ana@x.com")
    store.choose("t", "U2", "es", "ben@x.com")
    store.choose("other", "U1", "es", "ana@x.com")
    Forgetting(engine).forget("t", name)
    store.forget_remembered("t")
    assert [store.language("t", "U1"), store.language("t", "U2"), store.language("other", "U1")] == ["", "es", "es"]

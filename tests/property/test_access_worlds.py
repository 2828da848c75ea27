from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.access_worlds import Index, World, compare, world


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    with TemporaryDirectory() as folder:
        yield Index(Path(folder))


@settings(max_examples=60)
@given(rng=st.randoms(use_true_random=False))
def test_search_citations_additions_and_evidence_are_those_of_the_naive_model(index: Index, rng: random.Random) -> None:
    random_world = world(rng)
    difference = compare(index, random_world)
    assert not difference, (difference, random_world)


def test_the_model_and_the_worlds_are_not_empty_of_cases(index: Index) -> None:
    """Else the test above would prove nothing."""
    worlds = [world(random.Random(seed)) for seed in range(300)]
    shown = [len(each.shown()) for each in worlds]
    assert sum(n == 0 for n in shown) > 20
    assert sum(n > 0 for n in shown) > 100
    assert any(each.for_the_asker() - each.shown() for each in worlds if each.channel == "members")
    assert any(each.groups_of(p) - set(each.direct[p]) for each in worlds for p in each.direct)


def test_a_leak_would_be_found(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the audience left out of account, worlds differ from the model."""
    monkeypatch.setattr(World, "readers", lambda self: [self.asker])
    differences = [
        compare(index, each) for seed in range(60) if (each := world(random.Random(seed))).channel == "public"
    ]
    assert any(differences)

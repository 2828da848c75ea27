from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.access_answers import compare
from tests.property.access_model import BY_NAME, Story, World, story
from tests.property.access_worlds import Company


@pytest.fixture(scope="module")
def company() -> Iterator[Company]:
    with TemporaryDirectory() as folder, Company(Path(folder)) as company:
        yield company


@settings(max_examples=60)
@given(rng=st.randoms(use_true_random=False))
def test_search_citations_additions_and_evidence_are_those_of_the_naive_model(
    company: Company, rng: random.Random
) -> None:
    random_story = story(rng)
    difference = compare(company, random_story)
    assert not difference, (difference, random_story)


def test_the_model_and_the_stories_are_not_empty_of_cases() -> None:
    """Else the test above would prove nothing."""
    stories = [story(random.Random(seed)) for seed in range(200)]
    shown = [len(each.asked.shown()) for each in stories]
    assert sum(n == 0 for n in shown) > 20
    assert sum(n > 0 for n in shown) > 60
    assert any(each.asked.groups_of(p) - set(names) for each in stories for p, names in each.asked.direct.items())
    assert sum(bool(each.asked.shown() - each.answered()) for each in stories) > 20
    assert sum(bool(each.emitted() - each.answered()) for each in stories) > 10
    assert sum(bool(each.meanwhile.added_for_the_asker(each.answered())) for each in stories) > 20
    old = [name for name, paper in BY_NAME.items() if paper.versions > 1]
    assert any(_may_open(each, name, 2) and not _may_open(each, name, 1) for each in stories for name in old)


def test_a_leak_would_be_found(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the audience left out of account, the model is another one."""
    monkeypatch.setattr(World, "readers", lambda self: [self.asker])
    stories = (story(random.Random(seed)) for seed in range(60))
    assert any(compare(company, each) for each in stories if each.asked.channel == "public")


def _may_open(story: Story, name: str, version: int) -> bool:
    return story.later.allowed(BY_NAME[name], version, [story.other])

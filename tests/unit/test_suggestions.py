"""Suggested questions: answered, in force, and only from what their reader may read."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from core.domain.access import Reader
from core.domain.document import SourceDocument
from core.domain.events import Finished
from core.index.reader import IndexReader
from core.pipeline import Pipeline
from core.suggestions import Suggestions, Topic
from tests.unit.pipeline.shelf import HOLIDAYS, HR, PARKING, SALARIES, TODAY, asker, built, document, events_of

OLD = document("Old travel policy", "Hotels cost up to 90 euros a night.", valid_until=TODAY - dt.timedelta(days=1))


def phrase(topic: Topic) -> str:
    return f"What is there about {topic.title}?"


def suggestions(pipeline: Pipeline, *most_read: str) -> Suggestions:
    return Suggestions(pipeline._index, pipeline._searcher, lambda _tenant: most_read, today=lambda: TODAY)


@pytest.fixture
def easy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question is sure enough: the tiny vectors of these tests are not what confidence is made for."""
    monkeypatch.setattr("core.suggestions.THRESHOLDS", dict.fromkeys(("strict", "balanced", "open"), 0.0))


@pytest.mark.usefixtures("easy")
def test_they_come_only_from_what_the_reader_may_read(tmp_path: Path) -> None:
    pipeline = built(tmp_path)
    made = suggestions(pipeline, "salary-bands", "gone")
    for _ in range(2):  # the second time from memory
        assert phrase(Topic("", "Salary bands", "", "")) in made.suggest(asker(HR), "en", phrase)
        assert set(made.suggest(asker(), "en", phrase)) == {
            "What is there about Holiday policy?",
            "What is there about Parking?",
        }
        assert made.suggest(Reader("t"), "en", phrase) == ()


@pytest.mark.usefixtures("easy")
def test_a_hidden_document_changes_nothing_for_who_may_not_read_it(tmp_path: Path) -> None:
    with_hidden = suggestions(built(tmp_path / "a", documents=(HOLIDAYS, SALARIES, PARKING)), "salary-bands")
    without = suggestions(built(tmp_path / "b", documents=(HOLIDAYS, PARKING)))
    assert with_hidden.suggest(asker(), "en", phrase) == without.suggest(asker(), "en", phrase)


@pytest.mark.usefixtures("easy")
def test_what_is_revoked_or_no_longer_in_force_is_not_suggested(tmp_path: Path) -> None:
    pipeline = built(tmp_path, documents=(HOLIDAYS, PARKING, OLD))
    old = pipeline._index
    pipeline._index = IndexReader(old.tables, old.lexical, lambda _tenant: frozenset({"parking"}))
    assert suggestions(pipeline).suggest(asker(), "en", phrase) == ("What is there about Holiday policy?",)


def test_what_would_be_abstained_from_is_not_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.suggestions.THRESHOLDS", dict.fromkeys(("strict", "balanced", "open"), 1.1))
    assert suggestions(built(tmp_path)).suggest(asker(), "en", phrase) == ()


@pytest.mark.usefixtures("easy")
@pytest.mark.parametrize(
    ("title", "said"),
    [("2. Travel policy 2026.pdf", "Travel policy 2026"), ("Manual 🌰", "Manual"), ("x" * 100, None)],
)
def test_titles_are_said_without_numbers_extensions_and_pictures(tmp_path: Path, title: str, said: str | None) -> None:
    made: SourceDocument = document(title, "Hotels cost up to 90 euros a night in every city of the country.")
    found = suggestions(built(tmp_path, documents=(made,))).suggest(asker(), "en", phrase)
    assert found == ((f"What is there about {said}?",) if said else ())


@pytest.mark.usefixtures("easy")
def test_there_are_never_more_than_asked_for_nor_two_about_one_document(tmp_path: Path) -> None:
    names = ("Holidays", "Parking", "Travel", "Meals", "Phones", "Laptops")
    documents = [document(name, f"{name} cost up to 90 euros for each person of the company a year.") for name in names]
    found = suggestions(built(tmp_path, documents=documents)).suggest(asker(), "en", phrase)
    assert len(found) == len(set(found)) == 4


async def test_what_is_suggested_is_answered(tmp_path: Path) -> None:
    holidays = document("Annual leave", "What is there about annual leave: everybody has 25 working days of leave.")
    pipeline = built(tmp_path, documents=(holidays, PARKING))
    for question in suggestions(pipeline).suggest(asker(), "en", phrase):
        end = (await events_of(pipeline, question))[-1]
        assert isinstance(end, Finished)
        assert end.answer.abstention is None

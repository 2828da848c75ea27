from __future__ import annotations

import datetime as dt

import pytest

from core.domain.document import DocumentStatus
from core.domain.evidence import Passage
from core.retrieval.selection import in_force, prefer_in_force, select, without_outdated
from tests.unit.retrieval.passages import passage

TODAY = dt.date(2026, 11, 29)


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (passage(), True),
        (passage(superseded=True), False),
        (passage(status=DocumentStatus.DRAFT), False),
        (passage(status=DocumentStatus.OBSOLETE), False),
        (passage(valid_until=dt.date(2026, 11, 28)), False),
        (passage(valid_until=TODAY), True),
        (passage(valid_from=dt.date(2027, 1, 1)), False),
    ],
)
def test_what_is_in_force_today(held: Passage, expected: bool) -> None:
    assert in_force(held, TODAY) is expected


def test_the_version_in_force_wins_over_a_better_match_that_it_replaced() -> None:
    old = passage("old#s0-p1", "23 days in 2023", reranked=1.6, superseded=True, title="Vacations 2023")
    new = passage("new#s0-p1", "25 days", reranked=1.5)
    assert prefer_in_force([old, new], "How many days?", TODAY)[0].chunk_id == "new#s0-p1"


def test_the_old_version_may_win_when_its_year_is_asked_for() -> None:
    old = passage("old#s0-p1", "23 days", reranked=1.6, superseded=True, title="Vacations 2023")
    new = passage("new#s0-p1", "25 days", reranked=1.5)
    assert prefer_in_force([old, new], "How many days in 2023?", TODAY)[0].chunk_id == "old#s0-p1"


def test_a_year_that_a_title_has_puts_the_editions_of_other_years_behind_it() -> None:
    old = passage("old#s0-p1", "23 days", reranked=1.4, superseded=True, title="Vacations 2023")
    new = passage("new#s0-p1", "25 days", reranked=1.5, title="Vacations 2026")
    without_year = passage("other#s0-p1", "Ask People", reranked=1.45, title="Contacts")
    found = prefer_in_force([new, without_year, old], "How many days did the old policy of 2023 give?", TODAY)
    assert [p.chunk_id for p in found] == ["other#s0-p1", "old#s0-p1", "new#s0-p1"]


def test_a_year_that_no_title_has_changes_nothing() -> None:
    new = passage("new#s0-p1", "25 days", reranked=1.5, title="Vacations 2026")
    other = passage("other#s0-p1", "Ask People", reranked=1.45, title="Contacts")
    assert prefer_in_force([new, other], "How many days in 2019?", TODAY)[0].chunk_id == "new#s0-p1"


def test_of_two_equal_matches_the_fresher_document_wins() -> None:
    older = passage("older#s0-p1", "x", modified_at=dt.datetime(2025, 1, 1, tzinfo=dt.UTC))
    newer = passage("newer#s0-p1", "y", modified_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    assert prefer_in_force([older, newer], "?", TODAY)[0].chunk_id == "newer#s0-p1"


def test_the_same_text_is_read_once() -> None:
    selection = select([passage("a#s0-p1"), passage("copy#s0-p1"), passage("b#s0-p1", "Other text here.")], 5)
    assert [p.chunk_id for p in selection.kept] == ["a#s0-p1", "b#s0-p1"]
    assert "same text as a#s0-p1" in selection.dropped[0].why


def test_no_more_than_asked_for_is_kept_and_nothing_far_below_the_best() -> None:
    ranked = [passage(f"p{i}#s0-p1", f"text number {i}", reranked=2 - i * 0.2) for i in range(6)]
    selection = select(ranked, 2)
    assert len(selection.kept) == 2
    assert [p.chunk_id for p in select(ranked, 6).kept] == ["p0#s0-p1", "p1#s0-p1", "p2#s0-p1"]


OLD = passage("old#s0-p1", "23 days", reranked=1.4, superseded=True)
NEW = passage("new#s0-p1", "25 days", reranked=1.5)


def test_an_old_version_is_not_read_beside_the_one_in_force() -> None:
    selection = without_outdated([NEW, OLD], "How many days?", TODAY)
    assert selection.kept == (NEW,)
    assert "not in force" in selection.dropped[0].why


@pytest.mark.parametrize("question", ["What did the old policy say?", "¿Qué decía la política anterior?"])
def test_an_old_version_is_read_when_it_is_asked_for(question: str) -> None:
    assert without_outdated([NEW, OLD], question, TODAY).kept == (NEW, OLD)
    better = passage("old#s0-p1", "23 days", reranked=1.6, superseded=True)
    assert prefer_in_force([better, NEW], question, TODAY)[0] == better


def test_an_old_version_is_read_when_nothing_in_force_answers_as_well() -> None:
    assert without_outdated([OLD, NEW], "How many days?", TODAY).kept == (OLD, NEW)


def test_a_copy_that_differs_in_a_word_is_read_once_and_a_twin_with_other_figures_is_kept() -> None:
    rest = " ".join(f"Then sentence {word} follows." for word in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta"))
    text = f"Everybody who works in the office has 25 days of holiday. {rest}"
    copy = passage("copy#s0-p1", text.replace("office has", "office holds"))
    twin = passage("twin#s0-p1", text.replace("25", "26"))
    denied = passage("denied#s0-p1", text.replace("has 25", "has not 25"))
    selection = select([passage("a#s0-p1", text), copy, twin, denied], 5)
    assert [p.chunk_id for p in selection.kept] == ["a#s0-p1", "twin#s0-p1", "denied#s0-p1"]
    assert "nearly the same text as a#s0-p1" in selection.dropped[0].why

"""Questions are gathered by what they are about, counted without names, and written as CSV that is only data."""

from __future__ import annotations

import csv
import datetime as dt
import io
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, insert

from core.domain.access import AudienceKind
from core.domain.evidence import NearDocument
from core.gaps import Gap, gaps_csv, grouped
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.feedback import FeedbackStore, Verdict
from core.store.forgetting import Forgetting
from core.store.gaps import GapStore, HandedOn, HandedOnStore
from core.store.schema import private_runs, runs
from core.store.shown import ShownAnswer, ShownStore

NOW = 1_795_953_600.0
DAY = dt.date(2026, 11, 29)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_database(f"sqlite:///{tmp_path}/testigo.db")


def unit(*angles: float) -> np.ndarray:
    return np.array([[np.cos(a), np.sin(a)] for a in np.radians(angles)], np.float32)


def test_what_is_alike_is_one_group_and_what_is_not_is_another() -> None:
    assert grouped(unit(0, 100, 10, 95, 200), alike=0.9) == [[0, 2], [1, 3], [4]]


def test_a_chain_of_likenesses_is_not_one_group() -> None:
    """By average linkage: 0 and 50 are alike, 50 and 100 are, 0 and 100 are not."""
    assert len(grouped(unit(0, 50, 100), alike=0.6)) == 2


def test_nothing_and_one_are_grouped_too() -> None:
    assert grouped(unit(), alike=0.5) == []
    assert grouped(unit(3), alike=0.5) == [[0]]


@pytest.mark.parametrize("evil", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\n=1"])
def test_no_cell_is_a_formula(evil: str) -> None:
    document = NearDocument("d", evil, "", evil)
    gap = Gap(evil, 1, 1, 1, 0, DAY, (document,), (evil,))
    (_, row) = list(csv.reader(io.StringIO(gaps_csv([gap]), newline="")))
    texts = [row[0], *row[6:]]
    assert all(cell.startswith("'") for cell in texts)


def test_a_cell_that_is_only_text_stays_as_it_is() -> None:
    gap = Gap('Does "N4" end at 5-6, or = 7?', 2, 1, 2, 0, DAY)
    assert list(csv.reader(io.StringIO(gaps_csv([gap]))))[1][:3] == ['Does "N4" end at 5-6, or = 7?', "2", "1"]


def asked(
    engine: Engine, run_id: str, audience: AudienceKind, decision: str = "low_confidence", question: str = "why?"
) -> None:
    row = {
        "run_id": run_id, "tenant_id": "t", "reader": "ana@x.com", "channel": "C1", "started_at": NOW,
        "decision": decision, "generator": "extractive", "index_version": 1, "confidence": 0.1, "claims": 0,
        "dropped_claims": 0,
    }  # fmt: skip
    with engine.begin() as connection:
        connection.execute(insert(runs).values(row))
        if audience is AudienceKind.PERSON:
            connection.execute(insert(private_runs).values(run_id=run_id))
    ConversationStore(engine, lambda: NOW).add("t", "T1:C1:1.0", "ana@x.com", question, run_id)
    ShownStore(engine).note(ShownAnswer(run_id, 1, "T1", "", "U1", "C1", "1.0", audience, "mention"))


def found(engine: Engine, *, private: bool = False) -> list[str]:
    return sorted(q.run_id for q in GapStore(engine).questions("t", NOW - 10, private=private))


def test_questions_of_private_places_are_left_out_unless_they_are_wanted(engine: Engine) -> None:
    for audience in (AudienceKind.TENANT, AudienceKind.MEMBERS, AudienceKind.PERSON):
        asked(engine, audience.value, audience)
    assert found(engine) == ["tenant"]
    assert found(engine, private=True) == ["members", "person", "tenant"]


def test_one_of_which_it_is_not_known_where_it_was_shown_counts_as_private(engine: Engine) -> None:
    row = {
        "run_id": "r", "tenant_id": "t", "reader": "ana@x.com", "channel": "C1", "started_at": NOW,
        "decision": "nothing_found", "generator": "x", "index_version": 1, "confidence": 0.1, "claims": 0,
        "dropped_claims": 0,
    }  # fmt: skip
    with engine.begin() as connection:
        connection.execute(insert(runs).values(row))
    ConversationStore(engine, lambda: NOW).add("t", "T1:C1:1.0", "ana@x.com", "why?", "r")
    assert found(engine) == []


def test_an_answer_is_a_gap_only_when_somebody_said_that_it_did_not_help(engine: Engine) -> None:
    asked(engine, "r1", AudienceKind.TENANT, "answered")
    asked(engine, "r2", AudienceKind.TENANT, "nothing_changed")
    assert found(engine) == []
    FeedbackStore(engine).keep("t", "r1", "U9", Verdict.BAD)
    (question,) = GapStore(engine).questions("t", NOW - 10)
    assert (question.run_id, question.is_abstained, question.is_disliked) == ("r1", False, True)


def test_another_tenants_questions_are_not_found(engine: Engine) -> None:
    asked(engine, "r1", AudienceKind.TENANT)
    assert GapStore(engine).questions("other", NOW - 10) == []
    assert GapStore(engine).question_of("other", "r1") == ""
    assert GapStore(engine).question_of("t", "r1") == "why?"


def handed(run_id: str = "r1") -> HandedOn:
    return HandedOn(0, run_id, "T1", "U1", "ana@x.com", "D1", "1.0", "why, dear colleagues?", "", "")


def test_a_question_is_handed_on_once_and_again_when_it_was_taken_back(engine: Engine) -> None:
    asked(engine, "r1", AudienceKind.PERSON)
    store = HandedOnStore(engine, lambda: NOW)
    assert store.begin("t", handed())
    assert not store.begin("t", handed())
    store.take_back("t", "r1")
    assert store.begin("t", handed())
    store.posted("t", "r1", "C9", "9.0")
    store.take_back("t", "r1")
    assert not store.begin("t", handed())
    assert not store.begin("t", handed("unknown"))


def test_what_was_handed_on_is_listed_wherever_it_was_asked_with_the_suggested_answer(engine: Engine) -> None:
    asked(engine, "r1", AudienceKind.PERSON)
    store = HandedOnStore(engine, lambda: NOW)
    store.begin("t", handed())
    assert found(engine) == []
    store.posted("t", "r1", "C9", "9.0")
    there = store.in_thread("t", "T1", "C9", "9.0")
    assert there is not None
    assert store.suggest("t", there.id, "Because.", "U2")
    assert not store.suggest("t", there.id, "Nonsense.", "U3")
    (question,) = GapStore(engine).questions("t", NOW - 10)
    assert (question.question, question.suggestion) == ("why, dear colleagues?", "Because.")


def test_a_person_who_is_forgotten_takes_their_questions_and_their_answers_along(engine: Engine) -> None:
    for run_id in ("r1", "r2"):
        asked(engine, run_id, AudienceKind.TENANT)
    store = HandedOnStore(engine, lambda: NOW)
    other = HandedOn(0, "r2", "T1", "U7", "eva@x.com", "D7", "1.0", "how?", "", "")
    for each, ts in ((handed(), "1.5"), (other, "2.5")):
        store.begin("t", each)
        store.posted("t", each.run_id, "C9", ts)
    second = store.in_thread("t", "T1", "C9", "2.5")
    assert second is not None
    store.suggest("t", second.id, "So.", "U1")
    Forgetting(engine).forget("t", "ana@x.com", also=["U1"])
    assert store.of_run("t", "r1") is None
    kept = store.of_run("t", "r2")
    assert kept is not None
    assert (kept.suggestion, kept.suggested_by) == ("", "")


def test_what_was_handed_on_goes_when_questions_go(engine: Engine) -> None:
    asked(engine, "r1", AudienceKind.TENANT)
    store = HandedOnStore(engine, lambda: NOW)
    store.begin("t", handed())
    Forgetting(engine).expire("t", NOW + 1)
    assert store.of_run("t", "r1") is None

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.domain.evidence import Abstention, AbstentionReason, Answer
from core.store.database import open_database
from core.store.evidence import EvidenceStore
from core.store.feedback import LONGEST_NOTE, Complaint, Feedback, FeedbackStore, Verdict
from core.store.forgetting import Forgetting
from core.store.runs import RunRecord, RunStore

RUN = "a" * 32


@pytest.fixture
def database(tmp_path: Path) -> Engine:
    engine = open_database(f"sqlite:///{tmp_path}/testigo.db")
    answer = Answer(RUN, "?", "en", (), Abstention(AbstentionReason.NOTHING_FOUND, "?", (), ()), 0.1, "x", 1)
    RunStore(engine).save(RunRecord(RUN, "t", "ana@x.com", "C1", 100.0, 101.0, {}), answer, None)
    return engine


@pytest.fixture
def store(database: Engine) -> FeedbackStore:
    return FeedbackStore(database, clock=lambda: 150.0)


def test_a_verdict_is_kept_with_its_run(store: FeedbackStore) -> None:
    assert store.keep("t", RUN, "U1", Verdict.GOOD)
    assert store.of("t", RUN) == [Feedback(RUN, "U1", Verdict.GOOD, 150.0)]


def test_a_person_has_one_verdict_and_may_change_it(store: FeedbackStore) -> None:
    store.keep("t", RUN, "U1", Verdict.BAD)
    store.explain("t", RUN, "U1", Complaint.WRONG, " It is 24. ")
    store.keep("t", RUN, "U2", Verdict.GOOD)
    store.keep("t", RUN, "U1", Verdict.BAD)
    (first, _) = sorted(store.of("t", RUN), key=lambda found: found.person)
    assert (first.complaint, first.note) == (Complaint.WRONG, "It is 24.")
    store.keep("t", RUN, "U1", Verdict.GOOD)
    (first, second) = sorted(store.of("t", RUN), key=lambda found: found.person)
    assert (first.verdict, first.complaint, first.note) == (Verdict.GOOD, None, "")
    assert second.verdict is Verdict.GOOD


def test_nothing_is_kept_of_a_run_that_is_not_there_or_another_tenants(store: FeedbackStore) -> None:
    assert not store.keep("t", "b" * 32, "U1", Verdict.BAD)
    assert not store.keep("other", RUN, "U1", Verdict.BAD)
    assert store.of("t", RUN) == []


def test_only_who_gave_a_bad_verdict_may_say_why(store: FeedbackStore) -> None:
    store.keep("t", RUN, "U1", Verdict.BAD)
    store.keep("t", RUN, "U2", Verdict.GOOD)
    assert not store.explain("t", RUN, "U2", Complaint.WRONG, "")
    assert not store.explain("t", RUN, "U3", Complaint.WRONG, "")
    assert not store.explain("other", RUN, "U1", Complaint.WRONG, "")
    assert store.explain("t", RUN, "U1", None, "x" * 2000)
    (mine,) = (found for found in store.of("t", RUN) if found.person == "U1")
    assert (mine.complaint, len(mine.note)) == (None, LONGEST_NOTE)


@pytest.mark.parametrize("name", ["U1", "ana@x.com", "Ana@X.com"])
def test_forgetting_a_person_deletes_their_verdicts_and_nobody_elses(
    store: FeedbackStore, database: Engine, name: str
) -> None:
    store.keep("t", RUN, "U1", Verdict.BAD, "ana@x.com")
    store.keep("t", RUN, "U2", Verdict.GOOD)
    assert Forgetting(database).forget("t", name).verdicts == 1
    assert [found.person for found in store.of("t", RUN)] == ["U2"]


def test_forgetting_in_one_tenant_leaves_the_others_alone(store: FeedbackStore, database: Engine) -> None:
    store.keep("t", RUN, "U1", Verdict.BAD)
    assert Forgetting(database).forget("other", "U1").verdicts == 0
    assert len(store.of("t", RUN)) == 1


def test_what_was_written_goes_with_the_questions_and_the_verdict_with_the_run(
    store: FeedbackStore, database: Engine
) -> None:
    store.keep("t", RUN, "U1", Verdict.BAD)
    store.explain("t", RUN, "U1", Complaint.OUTDATED, "It is from 2023.")
    Forgetting(database).expire("t", before=150.0)
    assert store.of("t", RUN)[0].note == "It is from 2023."
    Forgetting(database).expire("t", before=151.0)
    (kept,) = store.of("t", RUN)
    assert (kept.verdict, kept.complaint, kept.note) == (Verdict.BAD, Complaint.OUTDATED, "")
    EvidenceStore(database).delete_before("t", 1_000.0)
    assert store.of("t", RUN) == []


def test_a_private_run_stays_private_until_it_is_published(database: Engine) -> None:
    runs = RunStore(database)
    answer = Answer("c" * 32, "?", "en", (), None, 0.1, "x", 1)
    runs.save(RunRecord("c" * 32, "t", "ana@x.com", "C1", 1.0, 1.0, {}, is_private=True), answer, None)
    assert [getattr(runs.origin("t", run), "is_private", None) for run in (RUN, "c" * 32)] == [False, True]
    runs.publish("other", "c" * 32)
    assert getattr(runs.origin("t", "c" * 32), "is_private", None)
    runs.publish("t", "c" * 32)
    assert not getattr(runs.origin("t", "c" * 32), "is_private", None)
    assert runs.origin("other", RUN) is None

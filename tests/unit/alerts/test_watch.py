"""When something is an alert, and when it is not."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert

from core.alerts.alert import AlertKind
from core.alerts.watch import AlertWatch, Thresholds, abstentions_rose, many_changed, quality_fell, syncs_failed
from core.domain.access import AudienceKind
from core.domain.syncing import SyncCounts
from core.store.alerts import AlertStore, Quality, ToldStore
from core.store.database import open_database
from core.store.revocations import RevocationStore
from core.store.schema import evidence_documents, runs
from core.store.shown import ShownAnswer, ShownStore
from core.store.sync_runs import SyncRun, SyncRunStore
from core.store.sync_schedule import SyncScheduleStore

NOW = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
HOUR = 3_600.0
USUAL = Thresholds()


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_database(f"sqlite:///{tmp_path}/testigo.db")


def run_row(run_id: str, at: float, decision: str = "answered", claims: int = 1, dropped: int = 0) -> dict[str, object]:
    return {
        "run_id": run_id, "tenant_id": "t", "reader": "ana@x.com", "channel": "C1", "started_at": at,
        "decision": decision, "generator": "extractive", "index_version": 1, "confidence": 0.9, "claims": claims,
        "dropped_claims": dropped,
    }  # fmt: skip


def sync_run(started: dt.datetime = NOW, state: str = "done", **counts: int) -> SyncRun:
    return SyncRun(1, "wiki", "ana", started.timestamp(), None, state, asdict(SyncCounts(**counts)), [])


@pytest.mark.parametrize(
    ("before", "now", "is_alert"),
    [
        (Quality(50, 0, 100, 0), Quality(50, 0, 90, 10), True),
        (Quality(50, 0, 100, 0), Quality(50, 0, 91, 9), False),
        (Quality(50, 0, 90, 10), Quality(50, 0, 100, 0), False),
        (Quality(9, 0, 10, 0), Quality(9, 0, 1, 9), False),
        (Quality(0, 0, 0, 0), Quality(50, 0, 10, 90), False),
    ],
)
def test_a_fall_of_coverage_counts_from_the_threshold_on_and_only_among_enough_claims(
    before: Quality, now: Quality, is_alert: bool
) -> None:
    assert (quality_fell(before, now, USUAL) is not None) is is_alert


@pytest.mark.parametrize(
    ("before", "now", "is_alert"),
    [
        (Quality(20, 2, 20, 0), Quality(20, 5, 20, 0), True),
        (Quality(20, 2, 20, 0), Quality(20, 4, 20, 0), False),
        (Quality(20, 5, 20, 0), Quality(20, 2, 20, 0), False),
        (Quality(19, 0, 20, 0), Quality(50, 50, 20, 0), False),
    ],
)
def test_a_rise_of_abstentions_counts_from_the_threshold_on_and_only_among_enough_questions(
    before: Quality, now: Quality, is_alert: bool
) -> None:
    assert (abstentions_rose(before, now, USUAL) is not None) is is_alert


def test_many_changed_documents_of_one_sync_are_an_alert_on_that_day_only() -> None:
    much = sync_run(changed=30, unchanged=70)
    alert = many_changed({"wiki": much}, NOW, 0.3)
    assert alert is not None
    assert (alert.sources[0].source, alert.sources[0].count, alert.sources[0].total) == ("wiki", 30, 100)
    assert many_changed({"wiki": much}, NOW + dt.timedelta(days=1, hours=1), 0.3) is None
    assert many_changed({"wiki": sync_run(changed=29, unchanged=71)}, NOW, 0.3) is None
    assert many_changed({"wiki": sync_run(changed=9, unchanged=1)}, NOW, 0.3) is None
    assert many_changed({"wiki": sync_run(added=100, unchanged=1)}, NOW, 0.3) is None


@pytest.mark.parametrize(("state", "is_alert"), [("done", False), ("running", False), ("failed", True),
                                                 ("held_back", True), ("interrupted", True)])  # fmt: skip
def test_a_sync_that_did_not_end_well_is_an_alert(state: str, is_alert: bool) -> None:
    assert (syncs_failed({"wiki": sync_run(state=state)}) is not None) is is_alert


def watch(engine: Engine, *sources: str) -> AlertWatch:
    return AlertWatch(
        "t",
        sources or ("wiki",),
        AlertStore(engine),
        SyncRunStore(engine),
        SyncScheduleStore(engine),
        Thresholds(least=4),
    )


def kinds(engine: Engine, *sources: str) -> set[AlertKind]:
    return {alert.kind for alert in watch(engine, *sources).alerts(NOW)}


def test_a_quiet_company_has_no_alerts(engine: Engine) -> None:
    assert kinds(engine) == set()


def test_questions_are_compared_with_those_of_the_period_before(engine: Engine) -> None:
    now = NOW.timestamp()
    rows = [run_row(f"old-{n}", now - 30 * HOUR) for n in range(4)]
    rows += [run_row(f"new-{n}", now - HOUR, "low_confidence", claims=0) for n in range(4)]
    with engine.begin() as connection:
        connection.execute(insert(runs), rows)
    (alert,) = watch(engine).alerts(NOW)
    assert (alert.kind, alert.before, alert.now) == (AlertKind.ABSTENTIONS, 0.0, 1.0)


def test_what_a_question_lacked_itself_is_no_abstention(engine: Engine) -> None:
    now = NOW.timestamp()
    rows = [run_row(f"old-{n}", now - 30 * HOUR) for n in range(4)]
    rows += [run_row(f"new-{n}", now - HOUR, "date_needed", claims=0) for n in range(4)]
    with engine.begin() as connection:
        connection.execute(insert(runs), rows)
    assert kinds(engine) == set()


def test_a_sync_that_was_due_for_hours_is_late_unless_its_source_is_no_longer_one(engine: Engine) -> None:
    SyncScheduleStore(engine).set("wiki", "every 6 hours", NOW.timestamp() - 7 * HOUR)
    assert kinds(engine) == {AlertKind.LATE}
    assert kinds(engine, "another") == set()
    SyncScheduleStore(engine).set("wiki", "every 6 hours", NOW.timestamp() - 5 * HOUR)
    assert kinds(engine) == set()


def test_hidden_documents_that_shown_answers_cite_are_counted(engine: Engine) -> None:
    row = {
        "run_id": "r1", "tenant_id": "t", "document_id": "d1", "document_version": 1, "cited": 1, "checked_version": 1,
    }  # fmt: skip
    with engine.begin() as connection:
        connection.execute(insert(runs), [run_row("r1", NOW.timestamp() - HOUR)])
        connection.execute(insert(evidence_documents), [row])
    RevocationStore(engine).revoke("t", "d1", "ana")
    assert kinds(engine) == set()
    ShownStore(engine).note(ShownAnswer("r1", 1, "T1", "", "U1", "C1", "1.0", AudienceKind.TENANT, "mention"))
    (alert,) = watch(engine).alerts(NOW)
    assert (alert.kind, alert.count, alert.total) == (AlertKind.HIDDEN_CITED, 1, 1)


def test_a_kind_is_told_once_a_day_by_whoever_comes_first(engine: Engine) -> None:
    told, another = ToldStore(engine), ToldStore(engine)
    assert told.claim("t", "late", "2026-11-29")
    assert not another.claim("t", "late", "2026-11-29")
    assert another.was_told("t", "late", "2026-11-29")
    assert another.claim("t", "late", "2026-11-30")
    assert another.claim("t", "failed", "2026-11-29")
    assert another.claim("other", "late", "2026-11-29")
    told.give_back("t", "late", "2026-11-29")
    assert another.claim("t", "late", "2026-11-29")

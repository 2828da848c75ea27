from __future__ import annotations

import pytest

from bot.rendering import SourceStatus, render_progress, render_status, render_summary
from bot.words import Words
from core.domain.syncing import (
    DocumentChange,
    DocumentState,
    SyncCounts,
    SyncFailure,
    SyncFinished,
    SyncProgress,
)
from tests.pictures.home_samples import MACHINERY, SYNCED
from tests.pictures.samples import NOW
from tests.unit.rendering.slack_checks import check, elements, said

ES, EN = Words("es"), Words("en")


def test_progress_says_how_far_each_source_is() -> None:
    message = render_progress((SyncProgress("rrhh", 180, 240), SyncProgress("finanzas", 1, None)), ES)
    check(message)
    assert "rrhh: 180 de 240 documentos (75\u00a0%)" in said(message)
    assert "finanzas: 1 documento por ahora" in said(message)


def test_progress_of_an_empty_source_is_whole() -> None:
    assert "0 of 0 documents (100%)" in said(render_progress((SyncProgress("hr", 0, 0),), EN))


def test_a_summary_says_what_changed_and_leaves_out_what_did_not() -> None:
    message = render_summary((SyncFinished("hr", SyncCounts(added=1, unchanged=3), 12.0),), EN)
    check(message)
    assert "The documents are up to date (12 seconds)." in said(message)
    assert "hr: 4 documents · 1 new · 3 unchanged" in said(message)
    assert "removed" not in said(message)


def test_a_summary_names_what_could_not_be_read_and_what_was_held_back() -> None:
    failures = (SyncFailure("a.xlsx", "It has a password."),)
    finished = SyncFinished("hr", SyncCounts(failed=1), 90.0, failures, ("A warning.",), "Half the documents are gone.")
    message = render_summary((finished,), EN)
    check(message)
    assert "1 document could not be read" in said(message)
    for line in ("hr: Half the documents are gone.", "hr, a.xlsx: It has a password.", "hr: A warning."):
        assert line in said(message)


def test_many_warnings_are_counted_and_left_to_the_log() -> None:
    finished = SyncFinished("hr", SyncCounts(), 1.0, warnings=tuple(f"Warning {n}." for n in range(400)))
    message = render_summary((finished,), EN)
    check(message)
    assert "395 more warnings are in the log" in said(message)


def test_a_run_that_failed_says_that_the_old_answers_go_on() -> None:
    assert EN.reindex_failed() in said(render_summary((), EN, completed=False))


def test_many_sources_fit_into_a_message() -> None:
    check(render_progress([SyncProgress("s" * 400, n, 900) for n in range(300)], ES))
    check(render_status([SourceStatus("s" * 400, n, NOW) for n in range(300)], ES))


def test_the_status_says_when_each_source_was_read() -> None:
    message = render_status((SourceStatus("hr", 242, NOW), SourceStatus("it", 0, None)), EN, index_lag=3)
    check(message)
    assert "hr: 242 documents · read Nov 20, 2026, 10:00 UTC" in said(message)
    assert "it: 0 documents · not read yet" in said(message)
    assert EN.status_index_lag(3) in said(message)


def test_without_sources_the_status_says_so() -> None:
    check(render_status((), ES))
    assert ES.status_empty() in said(render_status((), ES))


def test_a_summary_tells_readers_from_data_and_what_was_held_back() -> None:
    counts = SyncCounts(changed=1, access_only=2, metadata_only=3, moved=4, unchanged=5)
    finished = SyncFinished("hr", counts, 1.0, held_back="12 of 20 documents are gone.", awaiting=12)
    text = said(render_summary((finished,), EN))
    assert "1 changed · 2 with other readers · 7 with new details · 12 held back · 5 unchanged" in text


def test_only_what_can_be_let_go_has_a_button_and_it_asks_with_the_number() -> None:
    held = SyncFinished("hr", SyncCounts(unchanged=8), 1.0, held_back="12 of 20 documents are gone.", awaiting=12)
    empty = SyncFinished("it", SyncCounts(), 1.0, held_back="The export holds no documents: nothing was removed.")
    message = render_summary((held, empty), EN, held={"hr": 7, "it": 8})
    check(message)
    (button,) = (e for e in elements(message) if e.get("type") == "button")
    assert (button["value"], button["confirm"]["title"]["text"]) == ("7", "Remove 12 documents?")
    assert not [e for e in elements(render_summary((held,), EN)) if e.get("type") == "button"]


def test_a_plan_says_that_nothing_was_changed_and_names_documents_by_kind() -> None:
    changes = (
        DocumentChange("new.md", DocumentState.ADDED, "It is new in the export."),
        *(DocumentChange(f"{n}.md", DocumentState.CHANGED, "Its text changed.") for n in range(14)),
    )
    plan = SyncFinished("hr", SyncCounts(added=1, changed=14), 1.0, changes=changes, dry_run=True)
    message = render_summary((plan,), EN)
    check(message)
    assert said(message).startswith("This is what would be done. Nothing was changed.")
    assert "hr, 1 new: new.md" in said(message)
    assert "9.md, and 4 more" in said(message)


def test_an_admins_status_says_how_it_goes_and_what_it_is_made_of() -> None:
    message = render_status(SYNCED, EN, machinery=MACHINERY)
    check(message)
    text = said(message)
    for line in ("ended well (by the timetable)", "next Nov 21, 2026, 3:00 UTC (0 3 * * mon-fri) · 1 was missed",
                 "– presupuesto.xlsx: The file", "4,212 passages, version 87", "Testigo 0.1.0"):  # fmt: skip
        assert line in text


@pytest.mark.parametrize("state", ["done", "failed", "held_back", "interrupted", "running"])
def test_each_state_of_a_sync_has_words(state: str) -> None:
    assert EN.sync_state(state) != ES.sync_state(state)

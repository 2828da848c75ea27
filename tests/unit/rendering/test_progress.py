from __future__ import annotations

from bot.rendering import SourceStatus, render_progress, render_status, render_summary
from bot.words import Words
from core.domain.syncing import SyncCounts, SyncFailure, SyncFinished, SyncProgress
from tests.pictures.samples import NOW
from tests.unit.rendering.slack_checks import check, said

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

"""The commands that look at documents and syncs, over a small real index."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from bot.cli.diff import diff
from bot.cli.explain_access import explain_access
from bot.cli.history import history
from bot.cli.sources import sources
from bot.cli.status import status
from bot.cli.sync import sync
from core.access.groups import GroupsFile
from core.domain.access import AccessRule, Principal
from core.domain.syncing import ScheduledSync
from core.errors import SettingsError
from core.settings import SourceKind, SourceSettings
from core.store.database import open_database
from core.store.sync_runs import SyncRunStore
from sync.lock import FileWriter
from sync.service import SyncService
from sync.sources.base import FailedDocument
from tests.fakes import document
from tests.unit.sync.conftest import Workshop

PEOPLE = """
[[person]]
email = "nerea@x.com"
groups = ["payroll-valencia"]

[[person]]
email = "begona@x.com"

[[person]]
email = "guest@y.com"
guest = true

[[group]]
name = "payroll"
contains = ["payroll-valencia"]
"""
PAYROLL = AccessRule.of({Principal.group("payroll"), Principal.user("bo@x.com")}, {Principal.parse("everyone")})

Run = Callable[..., str]


@pytest.fixture
def run(workshop: Workshop, tmp_path: Path) -> Run:
    (tmp_path / "people.toml").write_text(PEOPLE)
    settings = SimpleNamespace(
        tenant_id="t",
        sources=(SourceSettings(name="shelf", kind=SourceKind.FOLDER, path=tmp_path, schedule="every day"),),
        people_file=tmp_path / "people.toml",
        everyone_groups=(),
        contextual=False,
    )
    database = open_database(f"sqlite:///{tmp_path}/testigo.db")
    service = SyncService(
        engine=workshop.engine,
        sources=settings.sources,
        open_source=lambda _: workshop.shelf,
        runs=SyncRunStore(database),
        writer=FileWriter(tmp_path),
    )
    upcoming = [ScheduledSync("shelf", "every day (UTC)", dt.datetime(2026, 11, 30, tzinfo=dt.UTC), 2)]
    application = SimpleNamespace(
        settings=settings,
        database=database,
        has_index=True,
        stored=workshop.tables,
        sync=service,
        groups=GroupsFile(tmp_path / "people.toml"),
        scheduler=SimpleNamespace(upcoming=lambda: upcoming),
    )

    def run(command: click.Command, *arguments: str) -> str:
        result = CliRunner(env={"COLUMNS": "200"}).invoke(command, arguments, obj=application)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.output

    return run


@pytest.fixture
def pages(workshop: Workshop) -> None:
    workshop.shelf.put(document("hr/pay.md", "The band N4 earns 58,500 euros.", title="Pay bands", rule=PAYROLL))
    workshop.sync()
    workshop.shelf.put(document("hr/pay.md", "The band N4 earns 60,000 euros.", title="Pay bands", rule=PAYROLL))
    workshop.sync()


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("name", ["pay-bands", "shelf/hr/pay.md"])
def test_a_document_is_named_by_its_id_or_by_its_place(run: Run, name: str) -> None:
    told = run(history, name)
    assert "pay-bands · shelf/hr/pay.md · Pay bands" in told
    assert "2 (served)" in told
    assert "text" in told


@pytest.mark.usefixtures("pages")
def test_an_unknown_document_is_answered_with_how_to_name_one(run: Run) -> None:
    with pytest.raises(SettingsError, match="source and key"):
        run(history, "shelf/nowhere.md")


@pytest.mark.usefixtures("pages")
def test_a_diff_shows_the_lines_that_changed(run: Run) -> None:
    told = run(diff, "pay-bands", "1", "2")
    assert "-The band N4 earns 58,500 euros." in told
    assert "+The band N4 earns 60,000 euros." in told
    assert run(diff, "pay-bands", "2", "2").strip() == "Nothing differs."
    with pytest.raises(SettingsError, match="no version 7"):
        run(diff, "pay-bands", "1", "7")


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize(
    ("email", "lines"),
    [
        ("Nerea@X.com", ["by group:payroll", "✓ everyone", "may read it"]),
        ("begona@x.com", ["✗ group:payroll or user:bo@x.com: holds none", "✓ everyone", "may not read it"]),
        ("guest@y.com", ["is a guest", "✗ everyone", "may not read it"]),
        ("bo@x.com", ["not in the people file", "by user:bo@x.com"]),
    ],
)
def test_access_is_explained_clause_by_clause(run: Run, email: str, lines: list[str]) -> None:
    told = run(explain_access, "pay-bands", "--as", email)
    for line in lines:
        assert line in told


@pytest.mark.usefixtures("pages")
def test_nobody_reads_what_is_not_served_any_more(run: Run, workshop: Workshop) -> None:
    workshop.shelf.put(*(document(f"{i}", f"Page {i}.") for i in range(9)))
    workshop.sync()
    workshop.shelf.take("hr/pay.md")
    workshop.sync()
    assert "may not read it" in run(explain_access, "pay-bands", "--as", "nerea@x.com")
    assert "not served" in run(history, "pay-bands")


def test_a_dry_run_prints_each_document_with_its_reason(run: Run, workshop: Workshop) -> None:
    workshop.shelf.put(document("a", "Text."), FailedDocument("b.pdf", "It is broken."))
    told = run(sync, "--dry-run")
    assert "added         shelf/a: It is new in the export." in told
    assert "failed        shelf/b.pdf: It is broken." in told
    assert workshop.tables.counts("t") == (0, 0)


def test_json_tells_counts_and_changes(run: Run, workshop: Workshop, capfd: pytest.CaptureFixture[str]) -> None:
    workshop.shelf.put(document("a", "Text."))
    told = run(sync, "--json", "shelf")
    [finished] = json.loads(told[told.index("[") :])
    assert finished["counts"]["added"] == 1
    assert finished["changes"] == [{"key": "a", "state": "added", "reason": "It is new in the export."}]


def test_the_status_tells_the_last_sync_and_the_next(run: Run, workshop: Workshop) -> None:
    assert "never" in run(status)
    workshop.shelf.put(document("a", "Text."), *(FailedDocument(f"{i}.pdf", f"{i}.pdf is broken.") for i in range(50)))
    run(sync)
    told = run(status)
    assert "1 documents in 1 passages are served." in told
    assert "terminal" in told
    assert "2026-11-30 00:00 UTC (2 missed)" in told
    assert told.count("is broken") == 1


def test_sources_are_listed_with_what_they_hold(run: Run, workshop: Workshop) -> None:
    workshop.shelf.put(document("a", "Text."))
    workshop.shelf.warnings = ("[[rule]] x matches nothing.",)
    told = run(sources)
    assert "every day" in told
    assert "matches nothing" in told

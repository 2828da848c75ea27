"""Sentences about passages in a sync: agreed to in a terminal, within a budget where nobody is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from bot.cli import contexts as contexts_command
from bot.cli.sync import sync
from bot.main import Composition
from bot.standin.claude import ClaudeStandIn, RecordedRequest, Step, overloaded
from core.domain.syncing import SyncFinished
from core.errors import BusyError
from core.settings import SourceKind, SourceSettings, load_settings
from core.store.database import open_database
from core.store.sync_runs import SyncRunStore
from sync import contexts
from sync.contexts import ContextFiller
from sync.lock import FileWriter, writer_lock
from sync.service import SyncService
from tests.fakes import Shelf, document
from tests.unit.sync.conftest import Workshop
from tests.unit.sync.situated import MODEL, contextualiser, plain

QUESTION = "Have them written?"
COST = "1 passages lack a sentence of context. claude-sonnet-5-5 would write them in 1 requests:"


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        running.always(plain)
        yield running


class Office:
    """A service over a small index, with the real client of Claude behind it, and its command."""

    def __init__(self, workshop: Workshop, server: ClaudeStandIn, budget: float = 2.0) -> None:
        self.workshop = workshop
        self.runs = SyncRunStore(open_database(f"sqlite:///{workshop.folder}/testigo.db"))
        self.shelves = {"shelf": workshop.shelf}
        self.budget = budget
        self.contextual, self.has_key = True, True
        self._server = server

    @property
    def service(self) -> SyncService:
        workshop = self.workshop
        filler = ContextFiller(workshop.tables, workshop.lexical, workshop.space, "t", contextualiser(self._server))
        return SyncService(
            engine=workshop.engine,
            sources=[SourceSettings(name=name, kind=SourceKind.FOLDER, path=Path(name)) for name in self.shelves],
            open_source=lambda settings: self.shelves[settings.name],
            runs=self.runs,
            writer=FileWriter(workshop.folder),
            contexts=(lambda: filler) if self.contextual and self.has_key else None,
            contexts_usd=self.budget,
        )

    async def reindexed(self) -> list[SyncFinished]:
        events = [event async for event in self.service.reindex(None, "the timetable")]
        return [event for event in events if isinstance(event, SyncFinished)]

    async def command(self, *arguments: str, answer: str = "") -> Result:
        settings = SimpleNamespace(
            tenant_id="t",
            contextual=self.contextual,
            writes_contexts=self.contextual and self.has_key,
            contextual_model="",
            claude_model=MODEL,
        )
        database = open_database(f"sqlite:///{self.workshop.folder}/testigo.db")
        application = SimpleNamespace(settings=settings, database=database, sync=self.service)
        runner = CliRunner(env={"COLUMNS": "250"})
        return await asyncio.to_thread(runner.invoke, sync, arguments, input=answer, obj=application)

    def sentences(self, document_id: str) -> set[str]:
        return {chunk.about for chunk in self.workshop.tables.stored_chunks("t", document_id)}


@pytest.fixture
def office(workshop: Workshop, server: ClaudeStandIn) -> Office:
    workshop.shelf.put(document("returns", "It is counted."))
    return Office(workshop, server)


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    return lambda there: monkeypatch.setattr(contexts_command, "has_terminal", lambda: there)


# -- in a terminal ---------------------------------------------------------------------------------------------------


async def test_the_cost_is_shown_and_nothing_is_sent_before_a_yes(
    office: Office, server: ClaudeStandIn, at_terminal: Callable[[bool], None]
) -> None:
    at_terminal(True)
    told = await office.command(answer="n\n")
    assert told.exit_code == 0
    assert COST in told.stderr and "at most about $0." in told.stderr and QUESTION in told.stderr
    assert "goes to Anthropic" in told.stderr
    assert server.requests == []
    assert office.workshop.found("counted") == ["returns"]
    told = await office.command(answer="y\n")
    assert "1 passages have a new sentence of context" in told.stderr
    assert len(server.requests) == 1
    assert office.sentences("returns") == {"How the warehouse deals with a boomerang parcel."}
    told = await office.command(answer="")
    assert QUESTION not in told.stderr


async def test_without_a_terminal_only_yes_lets_it_spend(
    office: Office, server: ClaudeStandIn, at_terminal: Callable[[bool], None]
) -> None:
    at_terminal(False)
    told = await office.command()
    assert told.exit_code == 0
    assert COST in told.stderr and "--yes" in told.stderr and QUESTION not in told.stderr
    assert server.requests == []
    told = await office.command("--yes", "--json")
    assert COST in told.stderr
    [finished] = json.loads(told.stdout)
    assert (finished["contexts"]["written"], finished["contexts"]["lacking"]) == (1, 0)


async def test_a_dry_run_and_a_sync_without_the_setting_or_a_key_send_nothing(
    office: Office, server: ClaudeStandIn
) -> None:
    assert COST not in (await office.command("--dry-run", "--yes")).stderr
    office.contextual = False
    assert "sentence" not in (await office.command("--yes")).stderr
    office.contextual, office.has_key = True, False
    assert "ANTHROPIC_API_KEY" in (await office.command("--yes")).stderr
    assert server.requests == []
    assert office.workshop.found("counted") == ["returns"]


async def test_a_failure_in_a_terminal_is_told_and_the_documents_are_there(
    office: Office, server: ClaudeStandIn
) -> None:
    server.always(overloaded())
    told = await office.command("--yes")
    assert told.exit_code == 0
    assert "1 passages go without a sentence of context." in told.stderr
    assert office.workshop.found("counted") == ["returns"]


# -- where nobody is asked -------------------------------------------------------------------------------------------


async def test_a_scheduled_sync_writes_sentences_and_its_report_counts_them(
    office: Office, server: ClaudeStandIn
) -> None:
    [finished] = await office.reindexed()
    assert finished.contexts is not None
    assert (finished.contexts.written, finished.contexts.lacking) == (1, 0)
    assert finished.contexts.usd is not None and finished.contexts.usd > 0
    assert finished.warnings == ()
    [finished] = await office.reindexed()
    assert finished.contexts is not None and finished.contexts.written == 0
    assert len(server.requests) == 1


async def test_beyond_the_budget_a_scheduled_sync_goes_on_and_says_so(office: Office, server: ClaudeStandIn) -> None:
    office.budget = 0.0
    [finished] = await office.reindexed()
    assert finished.counts.added == 1
    assert "1 passages go without" in finished.warnings[-1] and "contextual_budget_usd" in finished.warnings[-1]
    assert office.runs.latest()["shelf"].state == "done"
    assert office.runs.latest()["shelf"].failures == [finished.warnings[-1]]
    assert server.requests == []
    assert office.workshop.found("counted") == ["returns"]


async def test_the_budget_is_for_the_run_and_not_for_each_source(office: Office, server: ClaudeStandIn) -> None:
    office.shelves = {
        name: Shelf([document(f"{name}-page", "It is counted.", source=name)], name) for name in ("first", "second")
    }
    office.budget = 0.0
    await office.reindexed()
    service = office.service
    one, both = service.contexts_cost("first"), service.contexts_cost(None)
    assert one is not None and both is not None and one.usd is not None and both.usd is not None
    office.budget = one.usd * 1.2
    first, second = await office.reindexed()
    assert first.contexts is not None and second.contexts is not None
    assert (first.contexts.written, second.contexts.written) == (1, 0)
    assert len(server.requests) == 1


async def test_a_process_that_ends_lets_the_sync_end_well_and_the_next_one_goes_on(
    office: Office, server: ClaudeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contexts, "GROUP_CHUNKS", 1)
    office.workshop.shelf.put(*(document(f"page-{i}", "It is counted.") for i in range(4)))
    service = office.service

    def stopping(request: RecordedRequest) -> Step:
        service.stop()
        return plain

    server.always(stopping)
    events = [event async for event in service.reindex(None, "the timetable")]
    assert isinstance(events[-1], SyncFinished) and events[-1].counts.added == 5
    assert office.runs.latest()["shelf"].state == "done"
    assert len(server.requests) == 1
    [finished] = await office.reindexed()
    assert finished.contexts is not None and finished.contexts.written == 4


async def test_only_one_at_a_time_has_sentences_written(office: Office, server: ClaudeStandIn) -> None:
    office.budget = 0.0
    await office.reindexed()
    with writer_lock(office.workshop.folder, "bo@x.com"), pytest.raises(BusyError, match=r"bo@x\.com"):
        list(office.service.fill_contexts(None, "terminal", 1.0))
    assert server.requests == []


async def test_the_whole_application_joins_the_parts(tmp_path: Path, server: ClaudeStandIn) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "returns.md").write_text("# Returns\n\nIt is counted.\n")
    (tmp_path / "pages" / "access.toml").write_text('[defaults]\nallow = ["everyone"]\n')
    source = SourceSettings(name="pages", kind=SourceKind.FOLDER, path=tmp_path / "pages")

    def application(*, contextual: bool = False) -> Composition:
        made = load_settings(
            _env_file=None,
            data_dir=tmp_path / "data",
            sources=(source,),
            anthropic_api_key=server.api_key,
            anthropic_base_url=server.base_url,
            contextual=contextual,
            contextual_model="claude-haiku-5-5",
        )
        workshop = Workshop(tmp_path / "space")
        composed = Composition(made)
        composed.__dict__.update(space=workshop.space, words=None)
        return composed

    off = application()
    await asyncio.to_thread(lambda: list(off.sync.run(None, "tests")))
    assert server.requests == []
    on = application(contextual=True)
    await asyncio.to_thread(lambda: list(on.sync.run(None, "tests")))
    [request] = server.requests
    assert (request.rejection, request.body["model"]) == (None, "claude-haiku-5-5")
    [chunk] = on.tables.stored_chunks("default", "returns")
    assert chunk.about == "How the warehouse deals with a boomerang parcel."
    await asyncio.to_thread(lambda: list(off.sync.run(None, "tests")))
    assert off.tables.stored_chunks("default", "returns")[0].about == chunk.about
    await asyncio.to_thread(lambda: list(off.sync.run(None, "tests", full=True)))
    assert off.tables.stored_chunks("default", "returns")[0].about == ""

"""The real Bolt app against the Slack stand-in, over Socket Mode and over HTTP."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import Engine

from bot.aftercare import Aftercare
from bot.gate import Gate
from bot.home_lookups import HomeLookups
from bot.ledger import Ledger
from bot.places import Places
from bot.ports import Adder, Asker, Desk, Suggester
from bot.server import serve
from bot.services import Services, build_services
from bot.slack_client import open_client
from bot.standin import AppConfig, Channel, Message, Person, SlackStandIn
from core.domain.syncing import ScheduledSync
from core.index.reader import IndexReader
from core.settings import Settings
from core.store.audit import AuditStore
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.events import EventStore
from core.store.feedback import FeedbackStore
from core.store.sync_runs import SyncRunStore
from core.text.language import language_of
from tests.conftest import ROOT
from tests.e2e.scripted import FixedGroups, ScriptedAsker, ScriptedReindexer
from tests.tables import lay_tables

TRANSPORTS = ("socket", "http")
LOOK_AROUND_SECONDS = 0.2
"""How often a bot looks here for what a killed process left: often, so that a test waits for no more than the lease."""


def app_from_manifest() -> AppConfig:
    """The app as its manifest makes it: nothing works here that the manifest does not ask for."""
    return AppConfig.from_manifest(_manifest())


@functools.cache
def _manifest() -> dict[str, Any]:
    """Read once: each bot of a test takes its own app from it."""
    read: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    return read


@dataclass(slots=True)
class Bot:
    """A bot that runs in this process, and what is around it."""

    slack: SlackStandIn
    transport: str
    folder: Path
    asker: ScriptedAsker = field(default_factory=ScriptedAsker)
    reindexer: ScriptedReindexer = field(default_factory=ScriptedReindexer)
    groups: FixedGroups = field(default_factory=FixedGroups)
    overrides: dict[str, Any] = field(default_factory=dict)
    real_asker: Asker | None = None
    """Answers instead of the scripted one."""
    adder: Adder | None = None
    desk: Desk | None = None
    suggester: Suggester | None = None
    aftercare: Aftercare | None = None
    clock: Callable[[], float] = time.time
    index: IndexReader | None = None
    """What the home tab counts documents in; without it the tab is the help alone."""
    upcoming: tuple[ScheduledSync, ...] = ()
    services: Services | None = None
    _engine: Engine | None = None
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _one_ended: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    @property
    def settings(self) -> Settings:
        """Its settings; `overrides` change them before the start."""
        app = self.slack.app
        return Settings(
            **{
                "_env_file": None,
                "tenant_id": "acme",
                "database_url": f"sqlite:///{self.folder / 'events.db'}",
                "slack_bot_token": app.bot_token,
                "slack_app_token": app.app_token if self.transport == "socket" else None,
                "slack_signing_secret": app.signing_secret,
                "slack_api_url": self.slack.base_url,
                "http_port": 0,
                "admin_users": ("ana@brisa-logistics.example",),
                "sources": ({"name": "wiki", "kind": "folder", "path": "wiki"},),
                # Two people ask for a whole company here; `test_limits.py` sets limits.
                "user_rate": "",
                "workspace_rate": "",
                "user_runs": 1_000,
                **self.overrides,
            }
        )

    @property
    def audit(self) -> AuditStore:
        """Its audit record."""
        assert self._engine is not None
        return AuditStore(self._engine)

    @property
    def syncs(self) -> SyncRunStore:
        """Its record of syncs."""
        assert self._engine is not None
        return SyncRunStore(self._engine)

    @property
    def memory(self) -> ConversationStore:
        """What it remembers of conversations."""
        assert self._engine is not None
        return ConversationStore(self._engine)

    async def start(self) -> None:
        """Start serving."""
        settings = self.settings
        lay_tables(settings.database_location)
        self._engine = open_database(settings.database_location)
        self.services = await build_services(
            settings,
            open_client(settings),
            asker=self.real_asker or self.asker,
            reindexer=self.reindexer,
            store=EventStore(self._engine),
            groups=self.groups,
            hosts={"wiki.acme.example"},
            gate=Gate(settings, self._engine),
            adder=self.adder,
            recorder=self.audit,
            desk=self.desk,
            places=Places.of(self._engine, settings),
            suggester=self.suggester,
            feedback=FeedbackStore(self._engine),
            lookups=self._lookups(settings),
            aftercare=self.aftercare,
            clock=self.clock,
        )
        self.services.worker._look_around_seconds = LOOK_AROUND_SECONDS
        self._watch_ends(self.services.ledger)
        self._stop = asyncio.Event()
        ready = asyncio.Event()
        self._task = asyncio.create_task(serve(settings, self.services, self._stop, ready=ready, ping_seconds=2.0))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({waiting, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            waiting.cancel()
            task, self._task = self._task, None
            await task
        if self.transport == "http":
            await self.slack.deliver_over_http(self.url("/slack/events"))

    def _lookups(self, settings: Settings) -> HomeLookups | None:
        if self.index is None or self._engine is None:
            return None
        return HomeLookups.of(self._engine, settings, self.index, lambda: self.upcoming)

    async def stop(self) -> None:
        """Stop serving, in order."""
        if self._task is None or self.services is None or self._engine is None:
            return
        self._stop.set()
        await self._task
        await self.services.close()
        self._engine.dispose()
        self._task = None

    def url(self, path: str) -> str:
        """An address of its HTTP server."""
        assert self.services is not None
        return f"http://127.0.0.1:{self.services.listening[0]}{path}"

    async def idle(self) -> None:
        """Return once nothing is on its way and nothing is being worked on."""
        assert self.services is not None
        await self.slack.settled()
        async with asyncio.timeout(10):
            await self.services.worker.idle()
            await self.services.background.idle()
            await self.slack.settled()

    async def all_ended(self) -> None:
        """Return once every event has ended, those of killed processes too, whose leases run out first."""
        assert self.services is not None
        async with asyncio.timeout(15):
            while await self._open_count():
                await self._one_ended.wait()

    async def _open_count(self) -> int:
        assert self.services is not None
        self._one_ended.clear()
        return await self.services.ledger.open_count()

    def _watch_ends(self, ledger: Ledger) -> None:
        finish = ledger.finish

        async def finish_and_tell(event_id: int, state: str) -> None:
            await finish(event_id, state)
            self._one_ended.set()

        ledger.finish = finish_and_tell  # type: ignore[method-assign]  # tells the test

    async def shows(self, channel: Channel, text: str) -> str:
        """Wait until a status under a thread of a channel says this; the thread."""

        def showing() -> str | None:
            for change in reversed(self.slack.workspace.statuses):
                if change.channel_id == channel.id and text in self.slack.workspace.status(
                    channel.id, change.thread_ts
                ):
                    return change.thread_ts
            return None

        return await self.slack.wait_until(showing)

    def post_and_edit(self) -> None:
        """Take from the workspace what the bot would show its work with but messages that it edits."""
        for method in ("chat.startStream", "assistant.threads.setStatus", "agents.sessions.setStatus"):
            self.slack.faults.next(method, error="unknown_method", times=None)

    def said(self, channel: Channel, thread_ts: str | None = None) -> list[Message]:
        """What the bot has said in a channel."""
        return self.slack.bot_messages(channel, thread_ts)


@pytest.fixture(scope="session", autouse=True)
def _languages_are_known() -> None:
    """The language model is loaded before any clock runs."""
    language_of("¿cuántas vacaciones tengo?")


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn(app_from_manifest(), retry_delays=(0.0, 0.05, 0.1)) as standin:
        yield standin
        assert standin.violations == []


@pytest.fixture(params=TRANSPORTS)
async def bot(request: pytest.FixtureRequest, slack: SlackStandIn, tmp_path: Path) -> AsyncIterator[Bot]:
    """A bot over each transport."""
    running = Bot(slack, request.param, tmp_path)
    await running.start()
    try:
        yield running
    finally:
        await running.stop()


@pytest.fixture
async def socket_bot(slack: SlackStandIn, tmp_path: Path) -> AsyncIterator[Bot]:
    """A bot over Socket Mode, for what does not depend on the transport; not started, so that settings can be set."""
    waiting = Bot(slack, "socket", tmp_path)
    try:
        yield waiting
    finally:
        await waiting.stop()


@pytest.fixture
def ana(slack: SlackStandIn) -> Person:
    """A member, and an admin of the bot."""
    return slack.person("ana", locale="es-ES")


@pytest.fixture
def ben(slack: SlackStandIn) -> Person:
    """A member."""
    return slack.person("ben", locale="en-US")


@pytest.fixture
def general(slack: SlackStandIn, ana: Person, ben: Person) -> Channel:
    """A public channel."""
    return slack.channel("general", ana, ben)

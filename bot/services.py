"""Everything that the listeners and the server need, put together once."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from slack_sdk.web.async_client import AsyncWebClient

from bot.administering import Administering
from bot.answering import Answering
from bot.audience import Audiences
from bot.auditing import Auditor
from bot.background import Background
from bot.delivery import Delivery
from bot.gate import Gate
from bot.identity import Directory, GroupsSource
from bot.incoming import Surface
from bot.ledger import Ledger
from bot.metrics import Metrics
from bot.ports import Adder, Asker, Desk, Recorder, Reindexer
from bot.reindexing import Reindexing
from bot.sharing import Sharing
from bot.slack_client import close_client
from bot.slack_groups import SlackGroups
from bot.tenancy import BotIdentity, Tenancy, who_am_i
from bot.worker import Handler, Worker
from core.settings import Settings
from core.store.events import EventStore


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of a running bot."""

    settings: Settings
    client: AsyncWebClient
    me: BotIdentity
    tenancy: Tenancy
    directory: Directory
    audiences: Audiences
    delivery: Delivery
    ledger: Ledger
    worker: Worker
    metrics: Metrics
    background: Background = field(default_factory=Background)
    listening: list[int] = field(default_factory=list)
    """The ports that the HTTP server listens on, once it does (with port 0 in settings the system chooses)."""

    async def close(self) -> None:
        """Let go of tasks, threads and connections."""
        await self.background.close()
        await close_client(self.client)
        self.ledger.close()


async def build_services(
    settings: Settings,
    client: AsyncWebClient,
    *,
    asker: Asker,
    reindexer: Reindexer,
    store: EventStore,
    groups: GroupsSource,
    hosts: Collection[str] = (),
    clock: Callable[[], float] = time.time,
    gate: Gate | None = None,
    adder: Adder | None = None,
    recorder: Recorder | None = None,
    desk: Desk | None = None,
) -> Services:
    """Ask Slack who the bot is, and put its parts together. They own the client from here on.

    `hosts` are those whose addresses may be links in answers (those of the sources). Without a `gate` there are no
    limits, without an `adder` no private additions, without a `recorder` no audit record, and without a `desk` neither
    sharing nor `/rag-revoke` and `/rag-why`.

    Raises:
        SlackError: Slack cannot be reached, or does not take the bot token. The client is closed then.
    """
    try:
        me = await who_am_i(client)
    except BaseException:
        await close_client(client)
        raise
    tenancy = Tenancy(settings, me)
    metrics = Metrics()
    ledger = Ledger(store)
    directory = Directory(client, tenancy, groups, clock, SlackGroups(client, clock))
    auditor = Auditor(recorder)
    audiences = Audiences(client, directory, tenancy, me, settings, clock)
    delivery = Delivery(client, ledger)
    answering = Answering(
        settings,
        asker,
        tenancy,
        directory,
        audiences,
        delivery,
        metrics,
        hosts,
        clock,
        gate=gate,
        adder=adder,
        auditor=auditor,
    )
    handlers: dict[Surface, Handler] = {
        Surface.MENTION: answering,
        Surface.DIRECT: answering,
        Surface.COMMAND: answering,
        Surface.REINDEX: Reindexing(settings, reindexer, tenancy, directory, delivery, metrics, clock, auditor),
    }
    if desk is not None:
        administering = Administering(settings, desk, tenancy, directory, delivery, auditor)
        handlers[Surface.REVOKE] = handlers[Surface.WHY] = administering
        handlers[Surface.SHARE] = Sharing(desk, tenancy, directory, audiences, delivery, auditor, hosts, clock)
    worker = Worker(ledger, handlers, at_once=settings.workers, lease_seconds=settings.lease_seconds)
    return Services(settings, client, me, tenancy, directory, audiences, delivery, ledger, worker, metrics)

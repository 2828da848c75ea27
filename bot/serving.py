"""Put the running bot together and serve until told to stop."""

from __future__ import annotations

import asyncio

from bot.cli.application import Application
from bot.gate import Gate
from bot.server import serve
from bot.services import build_services
from bot.slack_client import open_client
from core.store.audit import AuditStore
from core.store.events import EventStore


async def serve_slack(application: Application, stop: asyncio.Event) -> None:
    """Serve Slack.

    Raises:
        SlackError: Slack does not take the tokens, or cannot be reached.
    """
    settings = application.settings
    client = open_client(settings)
    services = await build_services(
        settings,
        client,
        asker=application.pipeline(),
        reindexer=application.sync,
        store=EventStore(application.database),
        groups=application.groups,
        hosts=application.source_hosts,
        gate=Gate(settings, application.database),
        adder=application.private_additions(),
        recorder=AuditStore(application.database),
        desk=application.access_desk,
    )
    scheduler = application.scheduler
    try:
        scheduler.start()
        await serve(settings, services, stop)
    finally:
        await scheduler.close()
        await services.close()

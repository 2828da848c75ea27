"""Put the running bot together and serve until told to stop."""

from __future__ import annotations

import asyncio

from bot.cli.application import Application
from bot.gate import Gate
from bot.home_lookups import HomeLookups
from bot.places import Places
from bot.server import serve
from bot.services import build_services
from bot.slack_client import open_client
from core.settings import Settings
from core.store.audit import AuditStore
from core.store.events import EventStore
from core.store.feedback import FeedbackStore
from core.text.language import language_of


async def serve_slack(
    application: Application,
    stop: asyncio.Event,
    *,
    settings: Settings | None = None,
    ready: asyncio.Event | None = None,
) -> None:
    """Serve Slack until `stop` is set.

    Args:
        application: the parts to serve with.
        stop: set it to end.
        settings: tokens and addresses to serve with, where they are not the application's own.
        ready: is set once events can come in.

    Raises:
        SlackError: Slack does not take the tokens, or cannot be reached.
    """
    settings = settings or application.settings
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
        feedback=FeedbackStore(application.database),
        places=Places.of(application.database, settings),
        suggester=application.suggestions(),
        aftercare=application.aftercare(),
        lookups=HomeLookups.of(application.database, settings, application.index, application.scheduler.upcoming),
    )
    scheduler = application.scheduler
    chores = asyncio.create_task(services.chores.run(), name="chores")
    try:
        scheduler.start()
        await asyncio.to_thread(
            language_of, "how?"
        )  # loads its model: half a second that the first question would wait
        await serve(settings, services, stop, ready=ready)
    finally:
        chores.cancel()
        await asyncio.gather(chores, return_exceptions=True)
        await scheduler.close()
        await services.close()

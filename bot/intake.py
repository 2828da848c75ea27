"""The first thing that happens to whatever comes in: it is written down, and only then acknowledged."""

from __future__ import annotations

import logging

from bot.incoming import Incoming
from bot.services import Services

logger = logging.getLogger("testigo.intake")


async def claim(services: Services, event_id: str, incoming: Incoming) -> bool:
    """Write an event down and wake the worker; False when it is known already.

    Raises:
        StorageError: it could not be written down. Then it must not be acknowledged, so that Slack sends it again.
    """
    is_new = await services.ledger.claim(event_id, incoming)
    services.metrics.events.labels("claimed" if is_new else "repeated").inc()
    if is_new:
        services.worker.wake()
    else:
        logger.info("a repetition in %s is ignored", incoming.channel_id)
    return is_new

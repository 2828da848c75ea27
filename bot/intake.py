"""The first thing that happens to whatever comes in: it is written down, and only then acknowledged."""

from __future__ import annotations

import logging

from slack_bolt.async_app import AsyncBoltContext

from bot.incoming import Incoming, SlackMessage, Surface
from bot.services import Services
from bot.slack_text import question_text
from core.store.place_settings import AnswersIn

logger = logging.getLogger("testigo.intake")


async def claim(services: Services, event_id: str, incoming: Incoming) -> bool:
    """Write an event down, wake the worker, and show that it was heard; False when it is known already.

    Raises:
        StorageError: it could not be written down. Then it must not be acknowledged, so that Slack sends it again.
    """
    is_new = await services.ledger.claim(event_id, incoming)
    services.metrics.events.labels("claimed" if is_new else "repeated").inc()
    if is_new:
        services.worker.wake()
        services.first_signs.show(incoming)
    else:
        logger.info("a repetition in %s is ignored", incoming.channel_id)
    return is_new


async def question_in_channel(services: Services, message: SlackMessage, context: AsyncBoltContext) -> Incoming:
    """A person's message in a channel as a question, answered where the channel is set to be answered.

    Raises:
        StorageError: it is not known how the channel is set.
    """
    team_id, enterprise_id = context.team_id or "", context.enterprise_id or ""
    return Incoming(
        surface=await surface_in_channel(services, message.channel, team_id, enterprise_id),
        team_id=team_id,
        enterprise_id=enterprise_id,
        user_id=message.user,
        channel_id=message.channel,
        text=question_text(message.text, services.me.user_id),
        ts=message.ts,
        thread_ts=message.thread_ts,
    )


async def surface_in_channel(services: Services, channel_id: str, team_id: str, enterprise_id: str) -> Surface:
    """How a question in a channel is answered: in its thread, or, as a command is, to nobody but who asked.

    Raises:
        StorageError: it is not known how the channel is set.
    """
    tenant_id = services.tenancy.tenant_of(team_id, enterprise_id)
    if services.places is None or tenant_id is None:
        return Surface.MENTION
    wanted = await services.places.settings(tenant_id, channel_id)
    return Surface.COMMAND if wanted.answers_in is AnswersIn.PRIVATE else Surface.MENTION

"""The first thing that happens to whatever comes in: it is written down, and only then acknowledged."""

from __future__ import annotations

import logging
from dataclasses import replace

from slack_bolt.async_app import AsyncAck, AsyncBoltContext

from bot.failures import new_code
from bot.incoming import Incoming, SlackMessage, SlashCommand, Surface
from bot.rendering import ErrorKind, Message, render_error
from bot.services import Services
from bot.slack_text import question_text
from bot.words import Words
from core.errors import StorageError
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


async def claim_command(services: Services, ack: AsyncAck, command: SlashCommand, incoming: Incoming) -> None:
    """Write a command down and acknowledge it; where it cannot be written down, its person is told to repeat it."""
    try:
        await claim(services, command.trigger_id, incoming)
    except StorageError:
        words = Words(await services.directory.locale(command.user_id))
        await ack(text=not_claimed(words).text)
        return
    await ack()


def not_claimed(words: Words) -> Message:
    """What is said where a command cannot be written down: Slack does not repeat one, so that the person has to."""
    code = new_code()
    logger.error("a command is not claimed [%s]", code)
    return render_error(ErrorKind.INDEX, code, words)


def command_as_typed(command: SlashCommand, context: AsyncBoltContext, surface: Surface) -> Incoming:
    """A command whose text is no question, but mentions and ids."""
    return Incoming(
        surface=surface,
        team_id=context.team_id or command.team_id,
        enterprise_id=context.enterprise_id or command.enterprise_id,
        user_id=command.user_id,
        channel_id=command.channel_id,
        text=command.text.strip(),
        response_url=command.response_url,
    )


def command_as_asked(
    command: SlashCommand, context: AsyncBoltContext, surface: Surface, services: Services
) -> Incoming:
    """A command whose text is a question, or nearly one."""
    text = question_text(command.text, services.me.user_id)
    return replace(command_as_typed(command, context, surface), text=text)


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

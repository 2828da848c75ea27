"""`/rag question`: an answer that only the person sees, wherever they are."""

from __future__ import annotations

import asyncio
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import Incoming, SlashCommand, Surface
from bot.intake import claim, command_as_asked, not_claimed
from bot.reindexing import is_admin
from bot.rendering import render_help, sentence
from bot.rendering.help import ASK_COMMAND
from bot.services import Services
from bot.wording import words_for
from bot.words import Words
from core.errors import SettingsError, SlackError, StorageError

COMMANDS = (ASK_COMMAND,)
HELP = frozenset({"", "help", "ayuda"})
"""What asks for the help instead of being a question."""
PERSON_SECONDS = 1.5
"""How long the help waits to know who asks: Slack waits three seconds for it."""


def register(app: AsyncApp, services: Services) -> None:
    """Hear the command."""

    async def on_ask(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        command = SlashCommand.parse(body)
        incoming = command_as_asked(command, context, Surface.COMMAND, services)
        if incoming.text.casefold() in HELP:
            await _help(ack, incoming, services)
            return
        words = await words_for(incoming, services.directory, services.tenancy)
        try:
            await claim(services, command.trigger_id, incoming)
        except StorageError:
            await ack(text=not_claimed(words).text)
            return
        await ack(text=words.searching())

    app.command(ASK_COMMAND)(on_ask)


async def _help(ack: AsyncAck, incoming: Incoming, services: Services) -> None:
    words = Words(await services.directory.locale(incoming.user_id))
    if services.tenancy.tenant_of(incoming.team_id, incoming.enterprise_id) is None:
        message = sentence(words.error_settings())
    else:
        message = render_help(words, admin=await _is_admin(incoming, services))
    await ack(text=message.text, blocks=list(message.blocks))


async def _is_admin(incoming: Incoming, services: Services) -> bool:
    """Whether admins' lines are shown; no where that is not known in time: they are only a help."""
    tenant_id = services.tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
    try:
        async with asyncio.timeout(PERSON_SECONDS):
            person = await services.directory.person(incoming.user_id, tenant_id or "")
    except (SlackError, SettingsError, TimeoutError):
        return False
    return is_admin(person, services.settings)

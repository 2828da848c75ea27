"""`/rag-reindex [source]`: an admin has the exports read again. Whether they are one is checked when it is done."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import SlashCommand, Surface
from bot.intake import claim_command, command_as_asked
from bot.rendering.help import REINDEX_COMMAND
from bot.services import Services

COMMANDS = (REINDEX_COMMAND,)


def register(app: AsyncApp, services: Services) -> None:
    """Hear the command."""

    async def on_reindex(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        command = SlashCommand.parse(body)
        incoming = command_as_asked(command, context, Surface.REINDEX, services)
        await claim_command(services, ack, command, incoming)

    app.command(REINDEX_COMMAND)(on_reindex)

"""`/rag-status`: what is known, and how fresh it is."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import SlashCommand, Surface
from bot.intake import claim_command, command_as_asked
from bot.rendering.help import STATUS_COMMAND
from bot.services import Services

COMMANDS = (STATUS_COMMAND,)


def register(app: AsyncApp, services: Services) -> None:
    """Hear the command."""

    async def on_status(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        command = SlashCommand.parse(body)
        incoming = command_as_asked(command, context, Surface.STATUS, services)
        await claim_command(services, ack, command, incoming)

    app.command(STATUS_COMMAND)(on_status)

"""`/rag-gaps`: an admin asks what the documents did not answer."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import SlashCommand, Surface
from bot.intake import claim_command, command_as_typed
from bot.rendering.help import GAPS_COMMAND
from bot.services import Services

COMMANDS = (GAPS_COMMAND,)


def register(app: AsyncApp, services: Services) -> None:
    """Hear the command, where there is anything to list."""
    if not services.lists_gaps:
        return

    async def on_order(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        command = SlashCommand.parse(body)
        await claim_command(services, ack, command, command_as_typed(command, context, Surface.GAPS))

    app.command(GAPS_COMMAND)(on_order)

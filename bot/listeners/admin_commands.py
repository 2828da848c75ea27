"""`/rag-revoke` and `/rag-why`: an admin hides a document, or asks why somebody may read one."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import SlashCommand, Surface
from bot.intake import claim_command, command_as_typed
from bot.rendering.help import REVOKE_COMMAND, WHY_COMMAND
from bot.services import Services

SURFACES = {REVOKE_COMMAND: Surface.REVOKE, WHY_COMMAND: Surface.WHY}
COMMANDS = tuple(SURFACES)


def register(app: AsyncApp, services: Services) -> None:
    """Hear the commands."""

    async def on_order(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        command = SlashCommand.parse(body)
        await claim_command(services, ack, command, command_as_typed(command, context, SURFACES[command.command]))

    for command in COMMANDS:
        app.command(command)(on_order)

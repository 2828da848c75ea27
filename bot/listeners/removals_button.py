"""The button that lets go what a guard held back. Who may, and whether it is held back, is checked when it is done."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import Incoming, PressedButton, Surface
from bot.intake import claim
from bot.rendering.sync_report import REMOVALS_ACTION
from bot.services import Services


def register(app: AsyncApp, services: Services) -> None:
    """Hear the button, below a summary and in the home tab."""

    async def on_removals(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        pressed = PressedButton.parse(body)
        incoming = Incoming(
            surface=Surface.REMOVALS,
            team_id=context.team_id or pressed.team.id,
            enterprise_id=context.enterprise_id or "",
            user_id=pressed.user.id,
            channel_id=pressed.channel.id or pressed.container.channel_id,
            text=pressed.actions[0].value if pressed.actions else "",
            response_url=pressed.response_url,
        )
        await claim(services, pressed.trigger_id, incoming)
        await ack()

    app.action(REMOVALS_ACTION)(on_removals)

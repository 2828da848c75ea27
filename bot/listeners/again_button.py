"""The button of the offer to answer an edited question again. Whose question it is is checked when it is done."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import Incoming, PressedButton, Surface
from bot.intake import claim
from bot.rendering.edited_question import AGAIN_ACTION, edited_message
from bot.services import Services


def register(app: AsyncApp, services: Services) -> None:
    """Hear the button. Without what is known of places there is no offer."""
    places = services.places
    if places is None:
        return

    async def on_again(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        pressed = PressedButton.parse(body)
        ts = edited_message(pressed.actions[0].value if pressed.actions else "")
        channel_id = pressed.channel.id or pressed.container.channel_id
        team_id, enterprise_id = context.team_id or pressed.team.id, context.enterprise_id or ""
        tenant_id = services.tenancy.tenant_of(team_id, enterprise_id)
        edited = await places.edited(tenant_id, channel_id, ts) if tenant_id and ts else None
        incoming = Incoming(
            surface=Surface.AGAIN,
            team_id=team_id,
            enterprise_id=enterprise_id,
            user_id=pressed.user.id,
            channel_id=channel_id,
            text="",
            ts=ts,
            thread_ts=edited.thread if edited is not None else pressed.container.thread_ts,
            # Who presses twice, or the buttons of two offers, gets one answer to one wording.
            edition=edited.edition if edited is not None else pressed.trigger_id,
        )
        await claim(services, pressed.trigger_id, incoming)
        await ack()

    app.action(AGAIN_ACTION)(on_again)

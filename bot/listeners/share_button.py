"""The button below a private answer: show it to the channel. What may be shown is checked when it is done."""

from __future__ import annotations

import re
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import Incoming, PressedButton, Surface
from bot.intake import claim
from bot.rendering import SHARE_ACTION
from bot.services import Services

_TS = re.compile(r"[0-9]{1,12}\.[0-9]{1,8}")


def register(app: AsyncApp, services: Services) -> None:
    """Hear the button."""

    async def on_share(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        pressed = PressedButton.parse(body)
        run, _, rest = (pressed.actions[0].value if pressed.actions else "").partition(":")
        thread, _, positions = rest.partition(":")
        incoming = Incoming(
            surface=Surface.SHARE,
            team_id=context.team_id or pressed.team.id,
            enterprise_id=context.enterprise_id or "",
            user_id=pressed.user.id,
            channel_id=pressed.channel.id or pressed.container.channel_id,
            text=f"{run}:{positions}",
            thread_ts=thread if _TS.fullmatch(thread) else pressed.container.thread_ts,
        )
        await claim(services, pressed.trigger_id, incoming)
        await ack()

    app.action(SHARE_ACTION)(on_share)

"""The app is taken away, or its tokens are: there is nothing left to do but to say so in the log."""

from __future__ import annotations

import logging
from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.services import Services

logger = logging.getLogger("testigo.installation")

EVENTS = ("tokens_revoked", "app_uninstalled")


def register(app: AsyncApp, services: Services) -> None:
    """Hear of the end of an installation."""

    async def on_end(event: dict[str, Any]) -> None:
        logger.critical("Slack says %s: install the app again and give the bot its new token.", event.get("type"))

    for name in EVENTS:
        app.event(name)(on_end)

"""Everything else, ignored on purpose: acknowledged, so that Slack does not send it again, and not looked at.

Changes that are nobody's edit of a question, link unfurls, the bot's own messages and other bots', talk among people in
channels, joins, topics, huddles, canvases, workflow steps, the agent view's context, buttons and shortcuts that nobody
listens to yet.
"""

from __future__ import annotations

import re
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.services import Services

EVENTS = (
    "message",
    "app_context_changed",
    "agent_session_title_changed",
    "assistant_thread_context_changed",
    "user_huddle_changed",
    "function_executed",
)
"""Events that are known and ignored; whatever else may be subscribed one day is ignored as well."""

ANYTHING = re.compile(".*", re.DOTALL)


def register(app: AsyncApp, services: Services) -> None:
    """Take what no other listener took: this comes last."""

    async def ignore(event: dict[str, Any]) -> None:
        services.metrics.events.labels("ignored").inc()

    async def acknowledge(ack: AsyncAck) -> None:
        services.metrics.events.labels("ignored").inc()
        await ack()

    for name in EVENTS:
        app.event(name)(ignore)
    app.event(ANYTHING)(ignore)
    app.command(ANYTHING)(acknowledge)
    app.shortcut(ANYTHING)(acknowledge)
    app.action(ANYTHING)(acknowledge)
    app.options(ANYTHING)(acknowledge)
    app.view(ANYTHING)(acknowledge)
    app.view_closed(ANYTHING)(acknowledge)

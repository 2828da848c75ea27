"""The stop button of the agent's session: who asked does not want the answer any more.

Slack has ended its streams in the thread by then, whoever pressed; the answer is ended only for who asked.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from slack_bolt.async_app import AsyncApp, AsyncBoltContext

from bot.incoming import without_nulls
from bot.services import Services

EVENTS = ("agent_session_stopped",)


class StoppedSession(BaseModel):
    """The fields of `agent_session_stopped` that the bot reads."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    channel: str = ""
    thread_ts: str = ""
    user: str = ""


def register(app: AsyncApp, services: Services) -> None:
    """Hear the button."""

    async def on_stop(event: dict[str, Any], context: AsyncBoltContext) -> None:
        session = StoppedSession.model_validate(without_nulls(event))
        stopped = await services.stops.ask(
            context.team_id or "", session.channel, session.thread_ts, session.user or context.user_id or ""
        )
        services.metrics.events.labels("stopped" if stopped else "ignored").inc()

    for name in EVENTS:
        app.event(name)(on_stop)

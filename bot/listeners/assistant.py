"""The agent's view is opened, now or in its older form: the person is shown what they could ask.

What they look at beside it (`app_context_changed`, `assistant_thread_context_changed`) changes nothing: answers go by
what the person may read, not by what is on their screen.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from slack_bolt.async_app import AsyncApp, AsyncBoltContext

from bot.incoming import without_nulls
from bot.services import Services

EVENTS = ("app_home_opened", "assistant_thread_started")


def register(app: AsyncApp, services: Services) -> None:
    """Hear that somebody opens it. Without somebody who suggests, nothing is shown."""
    suggesting = services.suggesting
    if suggesting is None:
        return

    async def is_messages_tab(event: dict[str, Any]) -> bool:
        return event.get("tab") == "messages" and bool(event.get("user")) and bool(event.get("channel"))

    async def on_messages_tab(event: dict[str, Any], context: AsyncBoltContext) -> None:
        where = (str(event["user"]), str(event["channel"]), context.team_id or "", context.enterprise_id or "")
        services.background.start("suggestions", suggesting.suggest(*where))

    async def on_older_view(event: dict[str, Any], context: AsyncBoltContext) -> None:
        thread = _AssistantThread.model_validate(without_nulls(event.get("assistant_thread") or {}))
        if thread.user_id and thread.channel_id:
            where = (thread.user_id, thread.channel_id, context.team_id or "", context.enterprise_id or "")
            services.background.start("suggestions", suggesting.suggest(*where, thread_ts=thread.thread_ts))

    app.event("app_home_opened", matchers=[is_messages_tab])(on_messages_tab)
    app.event("assistant_thread_started")(on_older_view)


class _AssistantThread(BaseModel):
    model_config = ConfigDict(extra="ignore")

    user_id: str = ""
    channel_id: str = ""
    thread_ts: str = ""

"""Changes of people and channels: what is remembered of them is dropped at once."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.services import Services

PEOPLE = ("user_change", "user_profile_changed", "team_join")
GROUPS = ("subteam_created", "subteam_updated", "subteam_members_changed", "subteam_self_added", "subteam_self_removed")
CHANNELS = ("member_joined_channel", "member_left_channel", "channel_shared", "channel_unshared", "channel_id_changed")
EVENTS = (*PEOPLE, *GROUPS, *CHANNELS)


def register(app: AsyncApp, services: Services) -> None:
    """Hear of changes."""

    async def on_person(event: dict[str, Any]) -> None:
        user = event.get("user")
        user_id = user.get("id") if isinstance(user, dict) else user
        if user_id:
            services.directory.forget(str(user_id))
        else:
            services.directory.forget_all()

    async def on_group() -> None:
        services.directory.forget_all()

    async def on_channel(event: dict[str, Any]) -> None:
        for key in ("channel", "old_channel_id", "new_channel_id"):
            if event.get(key):
                services.audiences.forget(str(event[key]))

    for name in PEOPLE:
        app.event(name)(on_person)
    for name in GROUPS:
        app.event(name)(on_group)
    for name in CHANNELS:
        app.event(name)(on_channel)

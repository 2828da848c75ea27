"""What happens in a workspace without one person doing it to the bot: unfurls, changed people, groups and channels."""

from typing import Any

from bot.standin import shapes
from bot.standin.api import Backstage
from bot.standin.delivery import Delivery
from bot.standin.model import Channel, Json, Message, StreamState, Team, User, Usergroup


class Happenings:
    """Changes the workspace and tells the bot about it."""

    def __init__(self, backstage: Backstage) -> None:
        self._backstage = backstage

    async def unfurl(self, message: Message, title: str = "A page") -> Delivery | None:
        """Attach a link's preview: a `message_changed` with the same text and no `edited`."""
        before = self._backstage.announcer.message_json(message)
        message.attachments = [*message.attachments, {"id": 1, "title": title, "fallback": title}]
        self._backstage.workspace.touched()
        return self._backstage.announcer.message_changed(message, before)

    async def reannounce(self, message: Message) -> Delivery | None:
        """Send a `message_changed` in which nothing changed (a thread's counters, a detected language)."""
        return self._backstage.announcer.message_changed(message, self._backstage.announcer.message_json(message))

    def expire_stream(self, message: Message) -> None:
        """End a stream on Slack's side: the next append or stop gets `message_not_in_streaming_state`."""
        if message.stream is None:
            raise LookupError("the message is not streamed")
        message.stream.state = StreamState.EXPIRED
        self._backstage.workspace.touched()

    async def change_user(self, user: User, **facts: Any) -> Delivery | None:
        """Change a user (`email=`, `deleted=`, `is_restricted=`, `locale=`…) and send `user_change`."""
        for name, value in facts.items():
            setattr(user, name, value)
        user.updated = int(self._backstage.clock.now())
        self._backstage.workspace.touched()
        body = shapes.user_json(user, with_locale=True)
        return self._announce({"type": "user_change", "user": body, "cache_ts": user.updated})

    async def create_usergroup(self, handle: str, members: list[User]) -> Usergroup:
        """Create a user group and send `subteam_created`."""
        group = self._backstage.workspace.add_usergroup(handle, [user.id for user in members])
        self._announce({"type": "subteam_created", "subteam": shapes.usergroup_json(group, with_users=True)})
        return group

    async def set_usergroup_members(self, group: Usergroup, members: list[User]) -> list[Delivery]:
        """Change a group's members: `subteam_members_changed` and `subteam_updated`."""
        before, after = set(group.members), {user.id for user in members}
        updated = group.updated
        group.members = [user.id for user in members]
        group.updated = int(self._backstage.clock.now())
        self._backstage.workspace.touched()
        changed = {
            "type": "subteam_members_changed",
            "subteam_id": group.id,
            "team_id": group.team_id,
            "date_previous_update": updated,
            "date_update": group.updated,
            "added_users": sorted(after - before),
            "added_users_count": len(after - before),
            "removed_users": sorted(before - after),
            "removed_users_count": len(before - after),
        }
        whole = {
            "type": "subteam_updated",
            "subteam": shapes.usergroup_json(group, with_users=True, with_count=True),
        }
        return [sent for sent in (self._announce(changed), self._announce(whole)) if sent is not None]

    async def disable_usergroup(self, group: Usergroup) -> Delivery | None:
        """Disable a group; Slack tells with `subteam_updated`."""
        group.disabled = True
        group.updated = int(self._backstage.clock.now())
        self._backstage.workspace.touched()
        return self._announce({"type": "subteam_updated", "subteam": shapes.usergroup_json(group, with_users=True)})

    async def rename_channel(self, channel: Channel, name: str) -> Delivery | None:
        """Rename a channel."""
        channel.name = name
        self._backstage.workspace.touched()
        body = {"id": channel.id, "name": name, "created": channel.created}
        return self._announce({"type": "channel_rename", "channel": body}, channel)

    async def archive_channel(self, channel: Channel, by: User) -> Delivery | None:
        """Archive a channel."""
        channel.is_archived = True
        self._backstage.workspace.touched()
        return self._announce({"type": "channel_archive", "channel": channel.id, "user": by.id}, channel)

    async def share_channel(self, channel: Channel, team: Team) -> Delivery | None:
        """Share a channel with another company (Slack Connect)."""
        channel.is_ext_shared, channel.is_pending_ext_shared = True, False
        channel.shared_team_ids = [*channel.shared_team_ids, team.id]
        self._backstage.workspace.touched()
        event = {"type": "channel_shared", "connected_team_id": team.id, "channel": channel.id}
        return self._announce(event, channel)

    async def unshare_channel(self, channel: Channel, team: Team) -> Delivery | None:
        """End the sharing with another company."""
        channel.shared_team_ids = [team_id for team_id in channel.shared_team_ids if team_id != team.id]
        channel.is_ext_shared = len(channel.shared_team_ids) > 1
        self._backstage.workspace.touched()
        event = {
            "type": "channel_unshared",
            "previously_connected_team_id": team.id,
            "channel": channel.id,
            "is_ext_shared": channel.is_ext_shared,
        }
        return self._announce(event, channel)

    async def send_event(self, event: Json, channel: Channel | None = None) -> Delivery | None:
        """Send any event, as given (`event_ts` is added)."""
        return self._announce(event, channel)

    def _announce(self, event: Json, channel: Channel | None = None) -> Delivery | None:
        event = {"event_ts": self._backstage.workspace.new_ts(), **event}
        return self._backstage.announcer.announce(event, channel=channel)

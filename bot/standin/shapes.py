"""How Slack writes users, channels, messages and views in JSON (the shapes of `api_ref`'s examples)."""

from bot.standin.app_config import AppConfig
from bot.standin.model import Channel, ChannelKind, Json, Message, Team, User, Usergroup, View
from bot.standin.workspace import Workspace


def user_json(user: User, *, with_email: bool = True, with_locale: bool = False) -> Json:
    """A user as in `users.info` and `user_change`."""
    profile: Json = {
        "real_name": user.real_name,
        "real_name_normalized": user.real_name,
        "display_name": user.name,
        "display_name_normalized": user.name,
        "status_text": "",
        "status_emoji": "",
        "avatar_hash": "standin",
        "team": user.team_id,
    }
    if with_email and user.email:
        profile["email"] = user.email
    if user.is_bot:
        profile |= {"bot_id": user.bot_id, "api_app_id": user.app_id}
    body: Json = {
        "id": user.id,
        "team_id": user.team_id,
        "name": user.name,
        "deleted": user.deleted,
        "real_name": user.real_name,
        "tz": user.tz,
        "profile": profile,
        "is_admin": user.is_admin,
        "is_owner": False,
        "is_primary_owner": False,
        "is_restricted": user.is_restricted,
        "is_ultra_restricted": user.is_ultra_restricted,
        "is_bot": user.is_bot,
        "is_app_user": False,
        "updated": user.updated,
    }
    if user.is_stranger:
        body["is_stranger"] = True
    if user.enterprise_id:
        body["enterprise_user"] = {"id": user.id, "enterprise_id": user.enterprise_id, "teams": [user.team_id]}
    if with_locale:
        body["locale"] = user.locale
    return body


def channel_json(channel: Channel, *, bot_user_id: str) -> Json:
    """A conversation as in `conversations.info`."""
    body: Json = {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.is_archived,
        "is_im": channel.kind is ChannelKind.IM,
        "is_org_shared": False,
        "context_team_id": channel.team_id,
    }
    if channel.kind is ChannelKind.IM:
        other = next((member for member in channel.members if member != bot_user_id), bot_user_id)
        return body | {"user": other, "is_user_deleted": False, "priority": 0}
    return body | {
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": channel.kind is not ChannelKind.MPIM,
        "is_group": channel.kind is ChannelKind.PRIVATE,
        "is_mpim": channel.kind is ChannelKind.MPIM,
        "is_private": channel.is_private,
        "is_general": channel.name == "general",
        "is_member": bot_user_id in channel.members,
        "is_shared": channel.is_ext_shared,
        "is_ext_shared": channel.is_ext_shared,
        "is_pending_ext_shared": channel.is_pending_ext_shared,
        "pending_shared": [],
        "pending_connected_team_ids": [],
        "shared_team_ids": channel.shared_team_ids,
        "creator": channel.creator,
        "unlinked": 0,
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        "previous_names": [],
    }


def message_json(message: Message, app: AppConfig, workspace: Workspace, *, with_metadata: bool = True) -> Json:
    """A message as in the answers of `chat.*`, `conversations.replies` and within events."""
    body: Json = {"type": "message", "user": message.user, "ts": message.ts, "text": displayed_text(message)}
    optional = {
        "subtype": message.subtype,
        "client_msg_id": message.client_msg_id,
        "username": message.username,
        "bot_id": message.bot_id,
        "app_id": message.app_id,
        "thread_ts": message.thread_ts,
        "edited": message.edited,
        "metadata": message.metadata if with_metadata else None,
        "blocks": message.all_blocks or None,
        "attachments": message.attachments or None,
        "streaming_state": message.stream.state.value if message.stream else None,
    }
    body |= {key: value for key, value in optional.items() if value is not None}
    body["team"] = message.team_id
    if message.bot_id == app.bot_id:
        body["bot_profile"] = bot_json(app, message.team_id)
    if message.reactions:
        body["reactions"] = [
            {"name": name, "users": users, "count": len(users)} for name, users in message.reactions.items()
        ]
    return body | _thread_facts(message, workspace)


def displayed_text(message: Message) -> str:
    """The `text` of a message; a streamed one's is its Markdown so far."""
    return message.text or (message.stream.markdown if message.stream else "")


def _thread_facts(message: Message, workspace: Workspace) -> Json:
    if message.in_thread and message.thread_ts:
        parent = workspace.message(message.channel_id, message.thread_ts)
        return {"parent_user_id": parent.user} if parent else {}
    replies = workspace.thread(message.channel_id, message.ts)[1:] if message.ephemeral_to is None else []
    if not replies:
        return {}
    users = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": message.ts,
        "reply_count": len(replies),
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts,
        "reply_users": users[:5],
        "is_locked": False,
    }


def bot_json(app: AppConfig, team_id: str) -> Json:
    """The app's bot as in `bots.info` and `bot_profile`."""
    return {
        "id": app.bot_id,
        "app_id": app.app_id,
        "user_id": app.bot_user_id,
        "name": app.name,
        "deleted": False,
        "updated": 0,
        "icons": {},
        "team_id": team_id,
    }


def usergroup_json(group: Usergroup, *, with_users: bool = False, with_count: bool = False) -> Json:
    """A user group as in `usergroups.list` and subteam events."""
    body: Json = {
        "id": group.id,
        "team_id": group.team_id,
        "is_usergroup": True,
        "name": group.name,
        "description": "",
        "handle": group.handle,
        "is_external": False,
        "date_create": group.updated,
        "date_update": group.updated,
        "date_delete": group.updated if group.disabled else 0,
        "auto_type": None,
        "created_by": "",
        "updated_by": "",
        "deleted_by": None,
        "prefs": {"channels": [], "groups": []},
    }
    if with_users:
        body["users"] = list(group.members)
    if with_count:
        body["user_count"] = str(len(group.members))
    return body


def team_json(team: Team) -> Json:
    """A workspace as in `team.info`."""
    body: Json = {
        "id": team.id,
        "name": team.name,
        "domain": team.domain,
        "email_domain": f"{team.domain}.example",
        "icon": {"image_default": True},
    }
    return body | {"enterprise_id": team.enterprise_id} if team.enterprise_id else body


def view_json(view: View, app: AppConfig, team_id: str, *, state: Json | None = None) -> Json:
    """A view as in the answers of `views.*` and in interactions."""
    defaults: Json = {
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "title": None,
        "submit": None,
        "close": None,
        "clear_on_close": False,
        "notify_on_close": False,
    }
    return (
        defaults
        | view.payload
        | {
            "id": view.id,
            "team_id": team_id,
            "state": {"values": state or {}},
            "hash": view.hash,
            "root_view_id": view.root_view_id,
            "previous_view_id": view.previous_view_id,
            "app_id": app.app_id,
            "app_installed_team_id": team_id,
            "bot_id": app.bot_id,
        }
    )

"""What one person may see of the workspace, cut into pieces, so that a change sends only the pieces that changed.

A piece has a name (`message/C1/1760000000.000100`) and a JSON value. Only channels that the person is in are there, and
of the ephemeral messages only their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.playground.company import Company
from bot.playground.drawing import drawn_message, drawn_view
from bot.standin import Channel, ChannelKind, SlackStandIn
from bot.standin.model import Json, User

RECENT_VIOLATIONS = 5


def pieces_for(user_id: str, slack: SlackStandIn, company: Company) -> dict[str, Json]:
    """All pieces of a person's screen; LookupError when there is no such person."""
    user = slack.workspace.users.get(user_id)
    if user is None or user.is_bot:
        raise LookupError(f"no person {user_id!r}")
    return dict(_pieces(user, slack, company))


def changes(before: Mapping[str, Json], after: Mapping[str, Json]) -> tuple[dict[str, Json], list[str]]:
    """What is new or different in `after`, and the names of what is gone."""
    changed = {name: piece for name, piece in after.items() if before.get(name) != piece}
    return changed, [name for name in before if name not in after]


def _pieces(user: User, slack: SlackStandIn, company: Company) -> Iterator[tuple[str, Json]]:
    workspace = slack.workspace
    yield "workspace", _workspace(user, slack, company)
    for channel in workspace.channels.values():
        if user.id not in channel.members:
            if _may_join(user, channel):
                yield f"joinable/{channel.id}", {"id": channel.id, "name": channel.name}
            continue
        yield f"channel/{channel.id}", _channel(channel, slack)
        for message in workspace.seen_by(user.id, channel.id):
            yield f"message/{channel.id}/{message.ts}", drawn_message(message, workspace, slack.app)
    yield from _agent(user, slack)
    open_views = workspace.open_views(user.id)
    if open_views:
        yield "modal", drawn_view(open_views[-1]) | {"depth": len(open_views)}
    home = workspace.homes.get(user.id)
    if home is not None:
        yield "home", drawn_view(home)
    if slack.violations:
        recent = [str(violation) for violation in slack.violations[-RECENT_VIOLATIONS:]]
        yield "violations", {"count": len(slack.violations), "recent": recent}


def _workspace(user: User, slack: SlackStandIn, company: Company) -> Json:
    workspace = slack.workspace
    return {
        "me": user.id,
        "bot": slack.app.bot_user_id,
        "team": workspace.home_team.name,
        "domain": workspace.home_team.domain,
        "direct": workspace.direct(slack.app.bot_user_id, user.id).id,
        "can_stop": slack.app.is_subscribed("agent_session_stopped"),
        "users": {each.id: _user(each, company) for each in workspace.users.values()},
        "groups": {group.id: group.handle for group in workspace.usergroups.values()},
        "channels": {each.id: each.name for each in workspace.channels.values() if each.kind is ChannelKind.PUBLIC},
        "commands": [{"name": each.name, "what": each.what, "hint": each.hint} for each in company.commands],
        "questions": list(company.questions.get(user.id, ())),
    }


def _user(user: User, company: Company) -> Json:
    return {
        "id": user.id,
        "handle": user.name,
        "name": user.real_name,
        "is_bot": user.is_bot,
        "is_guest": user.is_restricted or user.is_ultra_restricted,
        "is_admin": user.id in company.admins,
        "role": company.roles.get(user.id, ""),
        "language": user.locale[:2],
    }


def _channel(channel: Channel, slack: SlackStandIn) -> Json:
    return {
        "id": channel.id,
        "kind": channel.kind.value,
        "name": channel.name,
        "members": list(channel.members),
        "shared": channel.is_ext_shared,
        "archived": channel.is_archived,
        "has_bot": slack.app.bot_user_id in channel.members,
    }


def _agent(user: User, slack: SlackStandIn) -> Iterator[tuple[str, Json]]:
    """Statuses, titles and prompts of the agent, where this person is."""
    workspace = slack.workspace
    mine = {channel.id for channel in workspace.channels.values() if user.id in channel.members}
    for change in workspace.statuses:
        text = workspace.status(change.channel_id, change.thread_ts)
        if change.channel_id in mine and text:
            shown: Json = {"text": text, "loading": list(change.loading_messages)}
            yield f"status/{change.channel_id}/{change.thread_ts}", shown
    for offered in workspace.prompts:
        if offered.channel_id in mine:
            prompts = [{"title": title, "message": message} for title, message in offered.prompts]
            shown = {"title": offered.title, "prompts": prompts}
            yield f"prompts/{offered.channel_id}/{offered.thread_ts or ''}", shown
    for (channel_id, thread_ts), session in workspace.sessions.items():
        if channel_id in mine:
            yield f"session/{channel_id}/{thread_ts}", {"status": session.status, "title": session.title}
    for (channel_id, thread_ts), title in workspace.titles.items():
        if channel_id in mine:
            yield f"title/{channel_id}/{thread_ts}", {"text": title}


def _may_join(user: User, channel: Channel) -> bool:
    """Members may open any public channel of their own workspace; guests only where they are invited."""
    is_outsider = user.is_restricted or user.is_ultra_restricted or user.is_stranger
    return channel.kind is ChannelKind.PUBLIC and not channel.is_archived and not is_outsider

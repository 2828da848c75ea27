"""The state of the pretended Slack: who is there, which channels, what was said. No network and no tasks in here."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from bot.standin.clock import Clock
from bot.standin.model import (
    AgentSession,
    Channel,
    ChannelKind,
    Json,
    Message,
    StatusChange,
    SuggestedPrompts,
    Team,
    User,
    Usergroup,
    View,
)

STATUS_SECONDS = 120.0
"""A status disappears after two minutes (`assistant.threads.setStatus`)."""


class Workspace:
    """Everything that Slack would remember. `on_change` is called after each change."""

    def __init__(self, clock: Clock, on_change: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._on_change = on_change
        self._numbers = itertools.count(1)
        self._last_ts = 0
        self.teams: dict[str, Team] = {}
        self.users: dict[str, User] = {}
        self.usergroups: dict[str, Usergroup] = {}
        self.channels: dict[str, Channel] = {}
        self._messages: dict[tuple[str, str], Message] = {}
        self._replies: dict[tuple[str, str], list[Message]] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.statuses: list[StatusChange] = []
        self.sessions: dict[tuple[str, str], AgentSession] = {}
        self.prompts: list[SuggestedPrompts] = []
        self.titles: dict[tuple[str, str], str] = {}

    # -- names and times ------------------------------------------------------------------------------------------

    def new_id(self, prefix: str) -> str:
        """Make an id such as `C00000042`."""
        return f"{prefix}{next(self._numbers):08d}"

    def new_ts(self) -> str:
        """Make a message timestamp: the time in microseconds, unique and increasing."""
        self._last_ts = max(self._last_ts + 1, int(self._clock.now() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def touched(self) -> None:
        """Tell those who wait that something has changed."""
        self._on_change()

    # -- people ---------------------------------------------------------------------------------------------------

    def add_team(self, name: str, *, domain: str | None = None, enterprise_id: str | None = None) -> Team:
        """Add a workspace; the first one added is where the app is installed."""
        team = Team(self.new_id("T"), name, domain or name.lower().replace(" ", "-"), enterprise_id)
        self.teams[team.id] = team
        return team

    @property
    def home_team(self) -> Team:
        """The workspace in which the app is installed."""
        return next(iter(self.teams.values()))

    def add_user(self, name: str, *, user_id: str | None = None, team: Team | None = None, **facts: Any) -> User:
        """Add a user; `facts` are fields of `User`. Without `email=` it is name@domain.example, bots have none."""
        team = team or self.home_team
        facts.setdefault("email", None if facts.get("is_bot") else f"{name}@{team.domain}.example")
        facts.setdefault("enterprise_id", team.enterprise_id)
        facts.setdefault("is_stranger", team.id != self.home_team.id)
        facts.setdefault("real_name", name.replace(".", " ").title())
        user = User(id=user_id or self.new_id("U"), team_id=team.id, name=name, **facts)
        user.updated = int(self._clock.now())
        self.users[user.id] = user
        self.touched()
        return user

    def user_by_email(self, email: str) -> User | None:
        """Find a live user of this workspace by e-mail, whatever the case of its letters."""
        for user in self.users.values():
            if user.email and user.email.lower() == email.lower() and not user.deleted and not user.is_stranger:
                return user
        return None

    def add_usergroup(self, handle: str, members: list[str], *, name: str | None = None) -> Usergroup:
        """Add a user group."""
        group = Usergroup(self.new_id("S"), self.home_team.id, handle, name or handle.title(), list(members))
        group.updated = int(self._clock.now())
        self.usergroups[group.id] = group
        self.touched()
        return group

    # -- channels -------------------------------------------------------------------------------------------------

    def add_channel(
        self,
        name: str,
        members: list[str],
        *,
        kind: ChannelKind = ChannelKind.PUBLIC,
        creator: str | None = None,
        **facts: Any,
    ) -> Channel:
        """Add a conversation; `facts` are fields of `Channel`."""
        prefix = {ChannelKind.PUBLIC: "C", ChannelKind.PRIVATE: "C", ChannelKind.MPIM: "G", ChannelKind.IM: "D"}[kind]
        channel = Channel(
            id=self.new_id(prefix),
            team_id=self.home_team.id,
            kind=kind,
            name=name,
            members=list(dict.fromkeys(members)),
            creator=creator or (members[0] if members else ""),
            created=int(self._clock.now()),
            **facts,
        )
        if not channel.shared_team_ids:
            channel.shared_team_ids = [self.home_team.id]
        self.channels[channel.id] = channel
        self.touched()
        return channel

    def direct(self, *user_ids: str) -> Channel:
        """Find or open the conversation of exactly these people: `im` for two, `mpim` for more."""
        wanted = set(user_ids)
        for channel in self.channels.values():
            if channel.kind in (ChannelKind.IM, ChannelKind.MPIM) and set(channel.members) == wanted:
                return channel
        if len(wanted) <= 2:
            return self.add_channel("directmessage", list(user_ids), kind=ChannelKind.IM)
        names = "--".join(self.users[user_id].name for user_id in user_ids)
        return self.add_channel(f"mpdm-{names}-1", list(user_ids), kind=ChannelKind.MPIM)

    def channel_named(self, name: str) -> Channel | None:
        """Find a channel by id or by name, with or without `#`."""
        if name in self.channels:
            return self.channels[name]
        plain = name.removeprefix("#")
        return next((channel for channel in self.channels.values() if channel.name == plain), None)

    # -- messages -------------------------------------------------------------------------------------------------

    def add_message(self, message: Message) -> Message:
        """Put a message into its channel; a reply's `thread_ts` becomes that of the thread's first message."""
        if message.thread_ts:
            parent = self.message(message.channel_id, message.thread_ts)
            if parent is not None and parent.in_thread:
                message.thread_ts = parent.thread_ts
        self.channels[message.channel_id].messages.append(message)
        if message.ephemeral_to is None:
            self._messages[message.channel_id, message.ts] = message
            if message.thread_ts and message.in_thread:
                self._replies.setdefault((message.channel_id, message.thread_ts), []).append(message)
        self.touched()
        return message

    def message(self, channel_id: str, ts: str) -> Message | None:
        """Find a message that is still there (ephemeral ones are not found: Slack forgets them)."""
        message = self._messages.get((channel_id, ts))
        return None if message is None or message.deleted else message

    def thread(self, channel_id: str, ts: str) -> list[Message]:
        """The thread's first message and its replies, oldest first."""
        first = self.message(channel_id, ts)
        replies = [reply for reply in self._replies.get((channel_id, ts), ()) if not reply.deleted]
        return replies if first is None else [first, *replies]

    def history(self, channel_id: str) -> list[Message]:
        """The channel's own messages (no replies, unless broadcast), newest first."""
        return [
            message
            for message in reversed(self.channels[channel_id].messages)
            if not message.deleted
            and message.ephemeral_to is None
            and (not message.in_thread or message.reply_broadcast)
        ]

    def seen_by(self, user_id: str, channel_id: str) -> Iterator[Message]:
        """What a person sees in a channel: everything there, of the ephemeral messages only their own."""
        channel = self.channels[channel_id]
        if user_id not in channel.members and channel.is_private:
            return
        for message in channel.messages:
            if not message.deleted and message.ephemeral_to in (None, user_id):
                yield message

    # -- agent ----------------------------------------------------------------------------------------------------

    def set_status(self, channel_id: str, thread_ts: str, status: str, loading_messages: tuple[str, ...] = ()) -> None:
        """Show a status under a thread; the empty one clears it."""
        self.statuses.append(StatusChange(channel_id, thread_ts, status, loading_messages, self._clock.now()))
        self.touched()

    def status(self, channel_id: str, thread_ts: str) -> str:
        """The status on the screen now: Slack takes it away after two minutes, or when the app posts there."""
        for change in reversed(self.statuses):
            if (change.channel_id, change.thread_ts) == (channel_id, thread_ts):
                return change.status if self._clock.now() - change.at < STATUS_SECONDS else ""
        return ""

    # -- views ----------------------------------------------------------------------------------------------------

    def add_view(self, user_id: str, payload: Json, *, previous: View | None = None) -> View:
        """Open a view for a person, on top of `previous` when that is given."""
        view_id = self.new_id("V")
        view = View(
            id=view_id,
            user_id=user_id,
            payload=payload,
            hash=self.new_view_hash(),
            root_view_id=previous.root_view_id if previous else view_id,
            previous_view_id=previous.id if previous else None,
        )
        self.views[view.id] = view
        self.touched()
        return view

    def new_view_hash(self) -> str:
        """Make the value that changes with every state of a view."""
        return f"{self._clock.now():.0f}.{next(self._numbers):08x}"

    def open_views(self, user_id: str) -> list[View]:
        """The person's stack of modals, the topmost last."""
        return [
            view for view in self.views.values() if view.user_id == user_id and not view.closed and view.type == "modal"
        ]

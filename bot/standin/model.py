"""What a Slack workspace is made of: teams, users, groups, channels, messages, streams, views."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# Slack's JSON as it travels: blocks, payloads, answers.
Json = dict[str, Any]


@dataclass(slots=True)
class Team:
    """A workspace; `enterprise_id` is set when it belongs to an Enterprise organisation."""

    id: str
    name: str
    domain: str
    enterprise_id: str | None = None


@dataclass(slots=True)
class User:
    """A person or a bot, as `users.info` shows it."""

    id: str
    team_id: str
    name: str
    real_name: str
    email: str | None = None
    is_bot: bool = False
    bot_id: str | None = None
    app_id: str | None = None
    deleted: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    is_admin: bool = False
    locale: str = "en-US"
    tz: str = "Europe/Madrid"
    enterprise_id: str | None = None
    updated: int = 0


@dataclass(slots=True)
class Usergroup:
    """A user group (`<!subteam^S…>`) and its members."""

    id: str
    team_id: str
    handle: str
    name: str
    members: list[str] = field(default_factory=list)
    disabled: bool = False
    updated: int = 0


class ChannelKind(StrEnum):
    """The `channel_type` of message events."""

    PUBLIC = "channel"
    PRIVATE = "group"
    IM = "im"
    MPIM = "mpim"

    @property
    def scope_prefix(self) -> str:
        """The first half of the scopes that guard this kind: `channels:read`, `groups:history`."""
        return {"channel": "channels", "group": "groups"}.get(self.value, self.value)


class StreamState(StrEnum):
    """The `streaming_state` of a message; STOPPED is one that the person stopped, EXPIRED one that Slack ended."""

    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    STOPPED = "stopped"
    EXPIRED = "errored"


@dataclass(slots=True)
class Stream:
    """What was streamed into a message: its chunks in order, and the blocks given at the end."""

    state: StreamState
    started_at: float
    chunks: list[Json] = field(default_factory=list)
    final_blocks: list[Json] = field(default_factory=list)
    recipient_user_id: str | None = None
    task_display_mode: str = "timeline"

    @property
    def markdown(self) -> str:
        """All Markdown text that was streamed, joined."""
        return "".join(str(chunk["text"]) for chunk in self.chunks if chunk["type"] == "markdown_text")

    @property
    def tasks(self) -> list[Json]:
        """Each task's latest state, in the order of first appearance.

        `details` and `output` of later updates are appended to earlier ones, as Slack's page on text streaming shows.
        """
        tasks: dict[str, Json] = {}
        for chunk in self.chunks:
            if chunk["type"] != "task_update":
                continue
            task = tasks.setdefault(str(chunk["id"]), {})
            for key, value in chunk.items():
                appended = key in ("details", "output") and isinstance(value, str)
                task[key] = f"{task.get(key, '')}{value}" if appended else value
        return list(tasks.values())

    @property
    def streamed_blocks(self) -> list[Json]:
        """The blocks that came in chunks."""
        return [block for chunk in self.chunks if chunk["type"] == "blocks" for block in chunk["blocks"]]


@dataclass(slots=True)
class Message:
    """A message of a channel; `ephemeral_to` names the only person who sees it."""

    ts: str
    channel_id: str
    user: str
    text: str
    team_id: str
    thread_ts: str | None = None
    bot_id: str | None = None
    app_id: str | None = None
    subtype: str | None = None
    username: str | None = None
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    edited: Json | None = None
    ephemeral_to: str | None = None
    stream: Stream | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    client_msg_id: str | None = None
    deleted: bool = False
    unfurl_links: bool | None = None
    unfurl_media: bool | None = None
    reply_broadcast: bool = False
    revisions: list[str] = field(default_factory=list)

    @property
    def in_thread(self) -> bool:
        """Whether the message is a reply, not a thread's first message."""
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def all_blocks(self) -> list[Json]:
        """The blocks on the screen: those that were streamed, then the message's own."""
        if self.stream is None:
            return self.blocks
        return [*self.stream.streamed_blocks, *self.stream.final_blocks, *self.blocks]

    @property
    def is_streaming(self) -> bool:
        """Whether text may still be appended."""
        return self.stream is not None and self.stream.state is StreamState.IN_PROGRESS


@dataclass(slots=True)
class Channel:
    """A conversation of any kind with its messages in order of ts, ephemeral and deleted ones included."""

    id: str
    team_id: str
    kind: ChannelKind
    name: str
    members: list[str]
    creator: str
    created: int
    is_archived: bool = False
    is_ext_shared: bool = False
    is_pending_ext_shared: bool = False
    shared_team_ids: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    @property
    def is_private(self) -> bool:
        """Whether only members see it."""
        return self.kind is not ChannelKind.PUBLIC


@dataclass(slots=True)
class View:
    """A modal or a home tab that a person has open."""

    id: str
    user_id: str
    payload: Json
    hash: str
    root_view_id: str
    previous_view_id: str | None = None
    closed: bool = False
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """`modal` or `home`."""
        return str(self.payload["type"])

    @property
    def blocks(self) -> list[Json]:
        """The blocks on the screen."""
        return list(self.payload["blocks"])

    @property
    def title(self) -> str:
        """A modal's title; empty for a home tab."""
        return str((self.payload.get("title") or {}).get("text", ""))

    @property
    def private_metadata(self) -> str:
        """What the app keeps with the view."""
        return str(self.payload.get("private_metadata") or "")

    @property
    def external_id(self) -> str:
        """The app's own name for the view, or nothing."""
        return str(self.payload.get("external_id") or "")


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A status that the app showed under a thread ("is reading 4 passages…"); empty text clears it."""

    channel_id: str
    thread_ts: str
    status: str
    loading_messages: tuple[str, ...]
    at: float


@dataclass(slots=True)
class AgentSession:
    """A session of the agent view: one thread, its lifecycle status and its title."""

    channel_id: str
    thread_ts: str
    status: str
    title: str
    history: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SuggestedPrompts:
    """The prompts that the app offers in a conversation, as (title, message)."""

    channel_id: str
    thread_ts: str | None
    title: str
    prompts: tuple[tuple[str, str], ...]

"""What comes in from Slack, parsed once into typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict


class Surface(StrEnum):
    """Where something was asked, and so how it is worked on."""

    MENTION = "mention"
    DIRECT = "direct"
    COMMAND = "command"
    REINDEX = "reindex"
    REVOKE = "revoke"
    WHY = "why"
    SHARE = "share"
    """A private answer is to be shown to everybody where it was asked; `text` is its run."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A question or an order of a person, as it is claimed and worked on.

    `ts` is the message's time and name (empty for a slash command), `thread_ts` that of the thread it stands in (empty:
    in none). `response_url` is a slash command's.
    """

    surface: Surface
    team_id: str
    user_id: str
    channel_id: str
    text: str
    enterprise_id: str = ""
    ts: str = ""
    thread_ts: str = ""
    response_url: str = ""

    @property
    def thread(self) -> str:
        """The thread that the answer belongs in: the question's own, or the one that it opens."""
        return self.thread_ts or self.ts

    @property
    def subject(self) -> str | None:
        """`channel:ts`, by which the several events about one message are known to be one."""
        return f"{self.channel_id}:{self.ts}" if self.ts else None

    @property
    def is_private(self) -> bool:
        """Whether only the person sees the answer: a direct message or a slash command, but not what they share."""
        return self.surface not in {Surface.MENTION, Surface.SHARE}

    def to_payload(self) -> dict[str, str]:
        """As JSON, for the store of events."""
        return {key: str(value) for key, value in asdict(self).items()}

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Incoming:
        """The inverse of `to_payload`."""
        return cls(**{**payload, "surface": Surface(payload["surface"])})


class SlackMessage(BaseModel):
    """The fields of a message that the bot reads: of `app_mention` and `message` events, and inside edits."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: str = "message"
    subtype: str = ""
    channel: str = ""
    channel_type: str = ""
    user: str = ""
    bot_id: str = ""
    text: str = ""
    ts: str = ""
    thread_ts: str = ""
    edited: dict[str, Any] | None = None
    message: SlackMessage | None = None
    previous_message: SlackMessage | None = None

    @classmethod
    def parse(cls, event: Mapping[str, Any]) -> SlackMessage:
        """Read an event; fields that are null count as absent."""
        return cls.model_validate(_without_nulls(event))

    @property
    def is_by_person(self) -> bool:
        """Whether a person wrote it, as far as the event says."""
        return bool(self.user) and not self.bot_id and self.user != "USLACKBOT"

    @property
    def is_direct(self) -> bool:
        """Whether it stands in a direct message with the bot."""
        return self.channel_type == "im" or self.channel.startswith("D")


class SlashCommand(BaseModel):
    """The fields of a slash command that the bot reads."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    command: str
    team_id: str = ""
    enterprise_id: str = ""
    user_id: str
    channel_id: str
    text: str = ""
    response_url: str = ""
    trigger_id: str

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> SlashCommand:
        """Read the body of a command; fields that are null count as absent."""
        return cls.model_validate(_without_nulls(body))


class _Entity(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = ""
    enterprise_id: str = ""


class _Container(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    channel_id: str = ""
    message_ts: str = ""
    thread_ts: str = ""


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    action_id: str = ""
    value: str = ""


class PressedButton(BaseModel):
    """The fields of a pressed button that the bot reads."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    user: _Entity = _Entity()
    team: _Entity = _Entity()
    channel: _Entity = _Entity()
    container: _Container = _Container()
    actions: tuple[_Action, ...] = ()
    response_url: str = ""
    trigger_id: str = ""

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> PressedButton:
        """Read the body of a `block_actions` payload; fields that are null count as absent."""
        return cls.model_validate(_without_nulls(body))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value

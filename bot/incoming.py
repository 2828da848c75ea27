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
    EDITED = "edited"
    """A question was edited after it was asked."""
    AGAIN = "again"
    """An edited question is to be answered again."""
    EVIDENCE = "evidence"
    """The evidence of an answer is opened. It is never claimed: only the record knows it by this name."""
    DELETED = "deleted"
    """A question was deleted; `text` is what it was."""
    REMOVALS = "removals"
    """Documents that a guard held back are to go; `text` is the id of the run that held them back."""
    STATUS = "status"
    GAPS = "gaps"
    ASK_PERSON = "ask_person"
    """A question is handed to people; `text` is `bot.rendering.asking_people.Handover`."""
    ASKED_AGAIN = "asked_again"
    """A question is asked again from the home tab; `text` is its number in the memory of conversations."""
    HOME = "home"
    SETTINGS = "settings"
    """What is done in the home tab, and in the form of a place's settings. Only the record knows these names."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A question or an order of a person, as it is claimed and worked on.

    `ts` is the message's time and name (empty for a slash command), `thread_ts` that of the thread it stands in (empty:
    in none). `response_url` is a slash command's. `edition` says which edit of the message it is about, if about one.
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
    edition: str = ""

    @property
    def thread(self) -> str:
        """The thread that the answer belongs in: the question's own, or the one that it opens."""
        return self.thread_ts or self.ts

    @property
    def subject(self) -> str | None:
        """`channel:ts`, by which the several events about one message are known to be one.

        What is done about one edit of it, or its end, is another matter, with a name that begins the same.
        """
        if not self.ts:
            return None
        message = f"{self.channel_id}:{self.ts}"
        return f"{message}:{self.edition}:{self.surface}" if self.edition else message

    @property
    def conversation(self) -> str:
        """The thread's name in the memory of conversations; empty where there is no thread."""
        return conversation_name(self.team_id, self.channel_id, self.thread) if self.thread else ""

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


def conversation_name(team_id: str, channel_id: str, thread_ts: str) -> str:
    """A thread's name in the memory of conversations."""
    return f"{team_id}:{channel_id}:{thread_ts}"


class SlackMessage(BaseModel):
    """The fields of a message that the bot reads: of `app_mention` and `message` events, and inside edits."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: str = "message"
    subtype: str = ""
    channel: str = ""
    channel_type: str = ""
    user: str = ""
    bot_id: str = ""
    bot_profile: dict[str, Any] | None = None
    text: str = ""
    ts: str = ""
    thread_ts: str = ""
    deleted_ts: str = ""
    edited: dict[str, Any] | None = None
    message: SlackMessage | None = None
    previous_message: SlackMessage | None = None

    @classmethod
    def parse(cls, event: Mapping[str, Any]) -> SlackMessage:
        """Read an event; fields that are null count as absent."""
        return cls.model_validate(without_nulls(event))

    @property
    def is_by_person(self) -> bool:
        """Whether a person wrote it, as far as the event says."""
        return bool(self.user) and not self.bot_id and self.bot_profile is None and self.user != "USLACKBOT"

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
        return cls.model_validate(without_nulls(body))


class _Entity(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = ""
    enterprise_id: str = ""


class _Container(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    channel_id: str = ""
    message_ts: str = ""
    thread_ts: str = ""


class _Option(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    value: str = ""


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    action_id: str = ""
    value: str = ""
    selected_option: _Option = _Option()


class _Input(BaseModel):
    """What was typed into a field, or chosen in it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    value: str = ""
    selected_option: _Option = _Option()
    selected_options: tuple[_Option, ...] = ()


class _State(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    values: dict[str, dict[str, _Input]] = {}


class _View(BaseModel):
    """A modal or home tab: what we put into it, and what a person did."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = ""
    hash: str = ""
    private_metadata: str = ""
    state: _State = _State()

    def input(self, action_id: str) -> _Input:
        """What stands in a field; nothing where there is none such."""
        return next((block[action_id] for block in self.state.values.values() if action_id in block), _Input())


class SubmittedView(BaseModel):
    """The fields of a submitted modal that the bot reads."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    user: _Entity = _Entity()
    team: _Entity = _Entity()
    view: _View = _View()

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> SubmittedView:
        """Read the body of a `view_submission` payload; fields that are null count as absent."""
        return cls.model_validate(without_nulls(body))


class PressedButton(BaseModel):
    """The fields of a pressed button that the bot reads."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    user: _Entity = _Entity()
    team: _Entity = _Entity()
    channel: _Entity = _Entity()
    container: _Container = _Container()
    actions: tuple[_Action, ...] = ()
    view: _View = _View()
    response_url: str = ""
    trigger_id: str = ""

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> PressedButton:
        """Read the body of a `block_actions` payload; fields that are null count as absent."""
        return cls.model_validate(without_nulls(body))


def without_nulls(value: Any) -> Any:
    """Slack's JSON without the fields that are null, so that they count as absent."""
    if isinstance(value, Mapping):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return value

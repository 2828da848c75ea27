"""What a person does in the page, done in the stand-in: each act goes to the bot as Slack would send it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from bot.playground.company import Company
from bot.playground.typed import as_command, as_sent
from bot.standin import Channel, Json, Message, Person, SlackStandIn, View
from bot.standin.delivery import Delivery

LONGEST = 40_000


class _Act(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    person: str


class Write(_Act):
    """A message, a reply in a thread, or a slash command."""

    act: Literal["write"]
    channel: str
    text: str = Field(max_length=LONGEST)
    thread_ts: str | None = None


class Press(_Act):
    """A button pressed or a menu chosen: of a message, of the modal on top, or of the home tab.

    `value` is an option's value, or a list of them; `state` is what the inputs beside it hold, by block and action id.
    """

    act: Literal["press"]
    where: Literal["message", "modal", "home"]
    channel: str = ""
    ts: str = ""
    block_id: str
    action_id: str
    value: Any = None
    state: dict[str, dict[str, Any]] = {}


class Submit(_Act):
    """The modal on top, submitted with what its inputs hold, by block and action id."""

    act: Literal["submit"]
    view: str
    state: dict[str, dict[str, Any]] = {}


class Close(_Act):
    """The modal on top, closed."""

    act: Literal["close"]
    view: str


class OpenHome(_Act):
    """The app opened at one of its tabs."""

    act: Literal["open_app"]
    tab: Literal["home", "messages"]


class Join(_Act):
    """A public channel joined."""

    act: Literal["join"]
    channel: str


class React(_Act):
    """An emoji put under a message."""

    act: Literal["react"]
    channel: str
    ts: str
    name: str = Field(pattern=r"^[a-z0-9_+-]{1,64}$")


class Edit(_Act):
    """One's own message, rewritten."""

    act: Literal["edit"]
    channel: str
    ts: str
    text: str = Field(min_length=1, max_length=LONGEST)


class Delete(_Act):
    """One's own message, deleted."""

    act: Literal["delete"]
    channel: str
    ts: str


class Stop(_Act):
    """The agent's stop button."""

    act: Literal["stop"]
    channel: str
    thread_ts: str


Act = Write | Press | Submit | Close | OpenHome | Join | React | Edit | Delete | Stop
_ACTS: TypeAdapter[Act] = TypeAdapter(Annotated[Act, Field(discriminator="act")])


class RefusedError(Exception):
    """An act that this person cannot do; `code` is a word of the page."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def read_act(body: str) -> Act:
    """Parse an act; RefusedError when it is none."""
    try:
        return _ACTS.validate_json(body)
    except ValidationError:
        raise RefusedError("invalid") from None


@dataclass(frozen=True, slots=True)
class Actor:
    """Does what people do."""

    slack: SlackStandIn
    company: Company

    async def do(self, act: Act) -> Json:
        """Do it, and return what the page is told beside what it sees anyway.

        Raises:
            RefusedError: it cannot be done.
        """
        person = self._person(act.person)
        try:
            match act:
                case Write():
                    return await self._write(person, act)
                case Press():
                    where = self._pressed(person, act)
                    sent = await person.click(where, act.action_id, act.value, block_id=act.block_id, state=act.state)
                    return _result(sent)
                case Submit():
                    return _result(await person.submit_view(act.state, self._modal(person, act.view)))
                case Close():
                    await person.close_view(self._modal(person, act.view), wait=False)
                case OpenHome():
                    await person.open_home(act.tab)
                case Join():
                    await self._join(person, act.channel)
                case React():
                    await self._react(person, self._message(person, act.channel, act.ts), act.name)
                case Edit():
                    text = as_sent(act.text, self.slack.workspace)
                    await person.edit(self._own(person, act.channel, act.ts), text)
                case Delete():
                    await person.delete(self._own(person, act.channel, act.ts))
                case Stop():
                    await person.stop_session(self._channel(person, act.channel), act.thread_ts)
        except LookupError:
            raise RefusedError("gone") from None
        return {}

    async def _write(self, person: Person, act: Write) -> Json:
        channel = self._channel(person, act.channel)
        if channel.is_archived:
            raise RefusedError("archived")
        command = as_command(act.text)
        if command is not None:
            return await self._command(person, channel, command, in_thread=act.thread_ts is not None)
        text = as_sent(act.text.strip(), self.slack.workspace)
        if not text:
            raise RefusedError("empty")
        message = await person.post(channel, text, act.thread_ts)
        return {"ts": message.ts}

    async def _command(self, person: Person, channel: Channel, command: tuple[str, str], *, in_thread: bool) -> Json:
        name, text = command
        known = next((each for each in self.company.commands if each.name == name), None)
        if known is None:
            raise RefusedError("no_command")
        if in_thread:
            raise RefusedError("command_in_thread")
        if known.escapes:
            text = as_sent(text, self.slack.workspace)
        return _result(await person.slash(name, text, channel))

    async def _join(self, person: Person, channel_id: str) -> None:
        channel = self.slack.workspace.channels.get(channel_id)
        user = person.user
        if channel is None or channel.is_private or user.is_restricted or user.is_ultra_restricted or user.is_stranger:
            raise RefusedError("gone")
        await person.join(channel)

    async def _react(self, person: Person, message: Message, name: str) -> None:
        if person.id not in message.reactions.get(name, ()):
            await person.react(message, name)

    # -- what the person may touch --------------------------------------------------------------------------------

    def _person(self, user_id: str) -> Person:
        user = self.slack.workspace.users.get(user_id)
        if user is None or user.is_bot:
            raise RefusedError("gone")
        return self.slack.person(user.name)

    def _channel(self, person: Person, channel_id: str) -> Channel:
        channel = self.slack.workspace.channels.get(channel_id)
        if channel is None or person.id not in channel.members:
            raise RefusedError("gone")
        return channel

    def _message(self, person: Person, channel_id: str, ts: str) -> Message:
        channel = self._channel(person, channel_id)
        found = next((message for message in person.sees(channel) if message.ts == ts), None)
        if found is None:
            raise RefusedError("gone")
        return found

    def _own(self, person: Person, channel_id: str, ts: str) -> Message:
        message = self._message(person, channel_id, ts)
        if message.user != person.id:
            raise RefusedError("gone")
        return message

    def _modal(self, person: Person, view_id: str) -> View:
        view = person.open_view()
        if view is None or view.id != view_id:
            raise RefusedError("gone")
        return view

    def _pressed(self, person: Person, act: Press) -> Message | View:
        if act.where == "message":
            return self._message(person, act.channel, act.ts)
        view = person.open_view() if act.where == "modal" else self.slack.workspace.homes.get(person.id)
        if view is None:
            raise RefusedError("gone")
        return view


def _result(delivery: Delivery) -> Json:
    """What Slack would tell whoever pressed: nothing, or that the app did not answer."""
    return {"error": delivery.error} if delivery.error else {}

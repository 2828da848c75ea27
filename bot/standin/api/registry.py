"""Which function answers which Web API method."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.standin.announcer import Announcer
from bot.standin.app_config import AppConfig
from bot.standin.arguments import Arguments
from bot.standin.clock import Clock
from bot.standin.methods import METHODS
from bot.standin.model import Channel, Json
from bot.standin.problems import ApiError
from bot.standin.socket_mode import SocketModeServer
from bot.standin.tickets import Tickets
from bot.standin.workspace import Workspace


@dataclass(slots=True)
class Settings:
    """Ways in which one Slack differs from another.

    `replies_page` is the most messages that one call of `conversations.replies` or `conversations.history` returns
    (15 for apps outside the Marketplace); `stream_seconds` is how long a stream lives.
    """

    replies_page: int = 1000
    members_page: int = 1000
    stream_seconds: float = 300.0


@dataclass(slots=True)
class Backstage:
    """What the handlers work with."""

    workspace: Workspace
    app: AppConfig
    clock: Clock
    tickets: Tickets
    announcer: Announcer
    sockets: SocketModeServer
    settings: Settings = field(default_factory=Settings)
    socket_address: str = ""

    def is_member(self, channel: Channel) -> bool:
        """Whether the bot is in a channel."""
        return self.app.bot_user_id in channel.members

    def channel(self, name: str) -> Channel:
        """Find a channel that the bot may know of, by id, name or user id, or raise `channel_not_found`."""
        if name in self.workspace.users:
            return self.workspace.direct(self.app.bot_user_id, name)
        channel = self.workspace.channel_named(name)
        if channel is None or (channel.is_private and not self.is_member(channel)):
            raise ApiError("channel_not_found")
        return channel


Handler = Callable[[Backstage, Arguments], Json]

HANDLERS: dict[str, Handler] = {}


def answers(method: str) -> Callable[[Handler], Handler]:
    """Register a function as the answer to a method; its result is sent with `ok: true`."""
    if method not in METHODS:
        raise LookupError(f"{method} is not in the table of methods")

    def register(handler: Handler) -> Handler:
        HANDLERS[method] = handler
        return handler

    return register

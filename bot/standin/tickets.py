"""The short-lived things that Slack hands out with an interaction: trigger ids and response URLs."""

import itertools
from dataclasses import dataclass

from bot.standin import limits
from bot.standin.clock import Clock
from bot.standin.model import Message
from bot.standin.problems import ApiError


@dataclass(slots=True)
class Trigger:
    """Permission to open one view for one person, for three seconds."""

    id: str
    user_id: str
    issued_at: float
    view_id: str | None = None
    exchanged: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """Permission to write five times within thirty minutes where an interaction took place.

    `original` is the message whose button was pressed; a slash command has none.
    """

    path: str
    user_id: str
    channel_id: str
    issued_at: float
    original: Message | None = None
    uses: int = 0


class Tickets:
    """All trigger ids and response URLs that were handed out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._numbers = itertools.count(1)
        self._triggers: dict[str, Trigger] = {}
        self.response_urls: dict[str, ResponseUrl] = {}

    def new_trigger(self, user_id: str, *, view_id: str | None = None) -> str:
        """Hand out a trigger id; `view_id` is the view in which the interaction took place."""
        trigger_id = f"{next(self._numbers)}.{int(self._clock.now())}.standin"
        self._triggers[trigger_id] = Trigger(trigger_id, user_id, self._clock.now(), view_id)
        return trigger_id

    def exchange(self, trigger_id: str) -> Trigger:
        """Use up a trigger id, or raise ApiError."""
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise ApiError("invalid_trigger_id")
        if trigger.exchanged:
            raise ApiError("exchanged_trigger_id")
        if self._clock.now() - trigger.issued_at > limits.TRIGGER_SECONDS:
            raise ApiError("expired_trigger_id")
        trigger.exchanged = True
        return trigger

    def new_response_url(self, kind: str, user_id: str, channel_id: str, original: Message | None = None) -> str:
        """Hand out the path of a response URL; `kind` is `commands` or `actions`."""
        path = f"/{kind}/{next(self._numbers)}/standin"
        self.response_urls[path] = ResponseUrl(path, user_id, channel_id, self._clock.now(), original)
        return path

    def use(self, path: str) -> ResponseUrl:
        """Count one use of a response URL, or raise ApiError (`expired_url`, `used_url`)."""
        ticket = self.response_urls.get(path)
        if ticket is None or self._clock.now() - ticket.issued_at > limits.RESPONSE_URL_SECONDS:
            raise ApiError("expired_url")
        if ticket.uses >= limits.RESPONSE_URL_USES:
            raise ApiError("used_url")
        ticket.uses += 1
        return ticket

"""What Slack sends to the bot, and the record of every attempt to bring it there."""

import asyncio
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from bot.standin.model import Json


class DeliveryKind(StrEnum):
    """The `type` of a Socket Mode envelope."""

    EVENT = "events_api"
    SLASH = "slash_commands"
    INTERACTIVE = "interactive"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one attempt ended. `reason` is one of Slack's (`timeout`, `http_error`, `connection_failed`…)."""

    acknowledged: bool
    reason: str = ""
    answer: Json | None = None
    may_retry: bool = True


@dataclass(slots=True, eq=False)
class Attempt:
    """One attempt: its retry number (0 is the first), why it was made, and how it ended."""

    number: int
    reason: str
    sent_at: float
    started: float = field(default_factory=time.perf_counter)
    seconds: float | None = None
    outcome: Outcome | None = None


@dataclass(slots=True, eq=False)
class Delivery:
    """An event, a slash command or an interaction on its way to the bot."""

    kind: DeliveryKind
    payload: Json
    created_at: float
    attempts: list[Attempt] = field(default_factory=list)
    answer: Json | None = None
    error: str | None = None
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def event(self) -> Json:
        """The inner event; empty for commands and interactions."""
        return dict(self.payload.get("event") or {})

    @property
    def event_id(self) -> str:
        """The event's id, the same in all its attempts."""
        return str(self.payload.get("event_id", ""))

    @property
    def name(self) -> str:
        """What it is: `app_mention`, `message`, `/rag`, `block_actions`."""
        return str(self.event.get("type") or self.payload.get("command") or self.payload.get("type"))

    @property
    def acknowledged(self) -> bool:
        """Whether an attempt was acknowledged."""
        return any(attempt.outcome and attempt.outcome.acknowledged for attempt in self.attempts)

    @property
    def ack_seconds(self) -> float | None:
        """Real seconds from the sending of the acknowledged attempt to its acknowledgement."""
        for attempt in self.attempts:
            if attempt.outcome and attempt.outcome.acknowledged:
                return attempt.seconds
        return None

    @property
    def is_settled(self) -> bool:
        """Whether Slack is done with it: acknowledged, or given up."""
        return self._settled.is_set()

    def settle(self, error: str | None = None) -> None:
        """Mark it as done; `error` says why it was given up."""
        self.error = error
        self._settled.set()

    async def settled(self) -> "Delivery":
        """Wait until Slack is done with it."""
        await self._settled.wait()
        return self


class Transport(Protocol):
    """Brings deliveries to the bot: over its websockets, or as signed HTTP requests."""

    async def send(self, delivery: Delivery, attempt: Attempt) -> Outcome:
        """Make one attempt and return how it ended, within the three seconds that Slack waits."""

"""How much may be asked: rates, questions at the same time, and the day's tokens."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import TypeVar

from limits import RateLimitItem, parse_many
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from core.domain.evidence import TokenUse
from core.errors import StorageError
from core.settings import Settings
from core.store.rates import Asking, SqlRates

T = TypeVar("T")

DAY = 86_400
SLACK_OF_A_RUN = 30.0
"""Seconds beyond an answer's deadline after which it counts as ended, whatever became of its process."""


class Excess(StrEnum):
    """What there is too much of."""

    USER_RATE = "user_rate"
    WORKSPACE_RATE = "workspace_rate"
    AT_ONCE = "at_once"
    TOKENS = "tokens"


class Gate:
    """Lets questions in, or says which limit is reached. The counts are in SQL, for all processes together."""

    def __init__(self, settings: Settings, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._rates = SqlRates(engine, clock)
        self._limiter = FixedWindowRateLimiter(self._rates)
        self._asking = Asking(engine, clock)
        self._clock = clock
        self._user = _parsed(settings.user_rate)
        self._workspace = _parsed(settings.workspace_rate)
        self._at_once = settings.user_runs
        self._tokens = settings.daily_tokens
        self._seconds = 2 * settings.answer_seconds + SLACK_OF_A_RUN

    async def enter(self, event_id: int, tenant_id: str, user_id: str, *, again: bool = False) -> Excess | None:
        """Let a question in (then `leave` must follow), or say what there is too much of.

        Args:
            event_id: the question's.
            tenant_id: the workspace's tenant.
            user_id: who asks.
            again: whether it was let in before, in an attempt that did not come to an end.

        Raises:
            StorageError: the counts cannot be read.
        """
        return await _run(partial(self._enter, event_id, tenant_id, user_id, again=again))

    async def leave(self, event_id: int, tenant_id: str, use: TokenUse | None = None) -> None:
        """A question has been answered, for so many tokens.

        Raises:
            StorageError: it cannot be noted.
        """
        await _run(partial(self._leave, event_id, tenant_id, use))

    def _enter(self, event_id: int, tenant_id: str, user_id: str, *, again: bool) -> Excess | None:
        if self._tokens and self._rates.get(self._day(tenant_id)) >= self._tokens:
            return Excess.TOKENS
        person = f"{tenant_id}:{user_id}"
        if not self._asking.enter(event_id, person, self._seconds, self._at_once):
            return Excess.AT_ONCE
        if again:
            return None
        # Who is over their own limit does not use up everybody's.
        if not all(self._limiter.hit(rate, "user", person) for rate in self._user):
            excess = Excess.USER_RATE
        elif not all(self._limiter.hit(rate, "workspace", tenant_id) for rate in self._workspace):
            excess = Excess.WORKSPACE_RATE
        else:
            return None
        self._asking.leave(event_id)
        return excess

    def _leave(self, event_id: int, tenant_id: str, use: TokenUse | None) -> None:
        self._asking.leave(event_id)
        if use is not None and self._tokens:
            spent = use.input_tokens + use.output_tokens + use.cache_read_tokens + use.cache_write_tokens
            self._rates.incr(self._day(tenant_id), DAY, spent)

    def _day(self, tenant_id: str) -> str:
        today = dt.datetime.fromtimestamp(self._clock(), dt.UTC).date()
        return f"tokens:{tenant_id}:{today.isoformat()}"


def _parsed(rates: str) -> list[RateLimitItem]:
    return parse_many(rates) if rates else []


async def _run(call: Callable[[], T]) -> T:
    try:
        return await asyncio.to_thread(call)
    except SQLAlchemyError as error:
        raise StorageError(f"The database does not answer ({type(error).__name__}).") from None
